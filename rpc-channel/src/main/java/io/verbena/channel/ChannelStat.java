package io.verbena.channel;

import io.verbena.api.SessionState;
import java.util.List;
import java.util.Locale;

/**
 * What a channel did, and how its servers stand.
 *
 * @param target what the channel was made for; of a resolver of the user's, its class
 * @param calls made by its stubs
 * @param moves attempts at another server, since one had surely not executed the call
 * @param retries attempts behind a failure, within the budget
 * @param hedges attempts beside one that had no answer yet
 * @param refusedByBudget retries and hedges that were not made for want of a token
 * @param unserved calls that failed since no server took them, or none in time
 * @param why why no server takes calls; empty where one does
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
   * One server.
   *
   * @param state its session's
   * @param why what is in the way of calls; empty where they may go there
   * @param inFlight attempts under way
   * @param attempts begun so far
   * @param failures of those
   * @param ejected whether it is left out, for its failures
   */
  public record EndpointStat(
      Endpoint endpoint,
      SessionState state,
      String why,
      int inFlight,
      long attempts,
      long failures,
      boolean ejected) {
    /** Returns whether calls go there. */
    public Standing standing() {
      if (!why.isEmpty()) {
        return Standing.OUT;
      }
      return ejected ? Standing.EJECTED : Standing.READY;
    }
  }

  /** Whether calls go to a server. */
  public enum Standing {
    /** They do. */
    READY,
    /** It is left out for a while, since it failed calls: they go there only if nobody is ready. */
    EJECTED,
    /**
     * Something is in the way: it is not connected to, shuts down, or says that it is not ready.
     */
    OUT;

    /** Returns the name in lower case, as metrics have it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Copies the list. */
  public ChannelStat {
    endpoints = List.copyOf(endpoints);
  }

  /** Returns how many servers stand so. */
  public long endpoints(Standing standing) {
    return endpoints.stream().filter(one -> one.standing() == standing).count();
  }
}
