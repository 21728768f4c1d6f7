package io.verbena.channel;

import io.verbena.api.SessionState;
import java.util.List;
import java.util.Locale;

/**
 * The counters of a channel, and the state of its servers.
 *
 * @param target the channel's target; for a resolver of the user's, its class
 * @param calls calls that its stubs made
 * @param moves attempts at another server after one that surely did not execute the call
 * @param retries attempts after a failure, within the budget
 * @param hedges attempts beside one that had no answer yet
 * @param refusedByBudget retries and hedges that were not made because the budget had no token
 * @param unserved calls that failed because no server took them, or none in time
 * @param why the reason that no server takes calls; empty if one does
 */
public record ChannelStat(
    String target,
    long calls,
    long moves,
    long retries,
    long hedges,
    long refusedByBudget,
    long unserved,
    String why,
    List<EndpointStat> endpoints) {
  /**
   * The state of one server.
   *
   * @param state its session's state
   * @param why the reason that calls do not go there; empty if they may
   * @param inFlight attempts under way
   * @param attempts attempts begun so far
   * @param failures attempts that failed
   * @param ejected whether the server is left out because calls to it failed
   */
  public record EndpointStat(
      Endpoint endpoint,
      SessionState state,
      String why,
      int inFlight,
      long attempts,
      long failures,
      boolean ejected) {
    /** Returns whether calls go to the server. */
    public Standing standing() {
      if (!why.isEmpty()) {
        return Standing.OUT;
      }
      return ejected ? Standing.EJECTED : Standing.READY;
    }
  }

  /** Says whether calls go to a server. */
  public enum Standing {
    /** Calls go there. */
    READY,
    /**
     * The server is left out for a while because calls to it failed. Calls go there only if no
     * server is ready.
     */
    EJECTED,
    /**
     * Calls do not go there: the server is not connected, shuts down, or says that it is not ready.
     */
    OUT;

    /** Returns the name in lower case, as in metrics. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Copies the list. */
  public ChannelStat {
    endpoints = List.copyOf(endpoints);
  }

  /** Returns the number of servers with this standing. */
  public long endpoints(Standing standing) {
    return endpoints.stream().filter(one -> one.standing() == standing).count();
  }
}
