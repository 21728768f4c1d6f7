package io.verbena.simulation.plan;

import io.verbena.simulation.world.HostSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * All that a seed makes happen.
 *
 * @param worldSeed what is left to the world's own chance
 * @param servers how each server is set up
 * @param clients how each client is set up
 * @param sessions from which client to which server
 * @param chunkBytes of bulk on streams
 * @param latencyNanos of streams, at rest
 * @param rate of streams at rest, in bytes a second
 * @param steps in the order of time
 */
public record Plan(
    long seed,
    long worldSeed,
    List<HostSettings> servers,
    List<HostSettings> clients,
    List<Between> sessions,
    int chunkBytes,
    long latencyNanos,
    long rate,
    List<Step> steps) {
  /**
   * A session.
   *
   * @param client by its place
   * @param server by its place
   */
  public record Between(int client, int server) {}

  /** Returns this plan with these steps alone. */
  public Plan withSteps(List<Step> kept) {
    return new Plan(
        seed, worldSeed, servers, clients, sessions, chunkBytes, latencyNanos, rate, kept);
  }

  /** Returns this plan with its hosts set up in another way. */
  public Plan withHosts(List<HostSettings> otherServers, List<HostSettings> otherClients) {
    return new Plan(
        seed,
        worldSeed,
        otherServers,
        otherClients,
        sessions,
        chunkBytes,
        latencyNanos,
        rate,
        steps);
  }

  /** Returns this plan without a session, of which no step is. */
  public Plan withoutSession(int gone) {
    List<Between> others = new ArrayList<>(sessions);
    others.remove(gone);
    List<Step> moved = new ArrayList<>();
    for (Step step : steps) {
      moved.add(step.session() > gone ? step.of(step.session() - 1) : step);
    }
    return new Plan(
        seed, worldSeed, servers, clients, others, chunkBytes, latencyNanos, rate, moved);
  }

  /** Returns whether memory is exposed. */
  public boolean hasRegions() {
    return steps.stream().anyMatch(Step.Expose.class::isInstance);
  }

  /** Returns whether nothing goes wrong. */
  public boolean isCalm() {
    return faults().isEmpty();
  }

  /** Returns what goes wrong. */
  public List<Step.Fault> faults() {
    List<Step.Fault> all = new ArrayList<>();
    for (Step step : steps) {
      if (step instanceof Step.Fault fault) {
        all.add(fault);
      }
    }
    return all;
  }
}
