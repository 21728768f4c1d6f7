package io.verbena.simulation.plan;

import io.verbena.simulation.world.HostSettings;
import io.verbena.verbs.fabric.DeviceBehaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The plan of a run.
 *
 * @param worldSeed the seed of the world's own chance
 * @param servers the settings of each server
 * @param clients the settings of each client
 * @param sessions the client and server of each session
 * @param chunkBytes the length of bulk chunks on streams
 * @param latencyNanos the latency of streams at rest
 * @param rate the rate of streams at rest, in bytes a second
 * @param steps the steps in the order of time
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
  /** A session. */
  public record Between(int client, int server) {}

  /** Returns this plan with only these steps. */
  public Plan withSteps(List<Step> kept) {
    return new Plan(
        seed, worldSeed, servers, clients, sessions, chunkBytes, latencyNanos, rate, kept);
  }

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

  /** Returns this plan without a session that has no steps. */
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

  /** Returns what the devices of all hosts do otherwise than most. */
  public Set<DeviceBehaviour> behaviours() {
    return Stream.concat(servers.stream(), clients.stream())
        .flatMap(host -> host.device().behaviours().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether memory is exposed. */
  public boolean hasRegions() {
    return steps.stream().anyMatch(Step.Expose.class::isInstance);
  }

  /** Returns whether callers block. */
  public boolean hasCallers() {
    return steps.stream().anyMatch(Step.Chain.class::isInstance);
  }

  /** Returns whether the plan has no faults. */
  public boolean isCalm() {
    return faults().isEmpty();
  }

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
