package io.verbena.channel;

import io.verbena.api.SessionState;
import java.util.List;

/**
 * What a channel did, and how its servers stand.
 *
 * @param calls made by its stubs
 * @param moves attempts at another server, since one had surely not executed the call
 * @param retries attempts behind a failure, within the budget
 * @param hedges attempts beside one that had no answer yet
 * @param refusedByBudget retries and hedges that were not made for want of a token
 */
public record ChannelStat(
    long calls,
    long moves,
    long retries,
    long hedges,
    long refusedByBudget,
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
      boolean ejected) {}

  /** Copies the list. */
  public ChannelStat {
    endpoints = List.copyOf(endpoints);
  }
}
