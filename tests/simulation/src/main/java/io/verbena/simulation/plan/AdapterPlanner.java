package io.verbena.simulation.plan;

import io.verbena.simulation.world.HostSettings;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.fabric.Personality;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a plan from a seed in which each host has the adapter of some driver. Its hosts are in one
 * network, so a seed has adapters of RoCE or of iWARP; most seeds have some of each driver that is
 * there. A host of neither has its sessions stay on streams.
 */
final class AdapterPlanner {
  private final SplittableRandom random;
  private final List<Personality> adapters;

  private AdapterPlanner(long seed) {
    random = new SplittableRandom(seed ^ 0xada7_7e45L);
    Transport other = random.nextInt(4) == 0 ? Transport.INFINIBAND : Transport.IWARP;
    adapters =
        Arrays.stream(Personality.values())
            .filter(adapter -> adapter.profile().transport() != other)
            .toList();
  }

  static Plan of(long seed) {
    return new AdapterPlanner(seed).plan(Planner.of(seed));
  }

  private Plan plan(Plan drawn) {
    List<HostSettings> servers = drawn.servers().stream().map(this::withAdapter).toList();
    List<HostSettings> clients = drawn.clients().stream().map(this::withAdapter).toList();
    return drawn.withHosts(servers, clients);
  }

  private HostSettings withAdapter(HostSettings host) {
    return host.with(adapters.get(random.nextInt(adapters.size())).profile());
  }
}
