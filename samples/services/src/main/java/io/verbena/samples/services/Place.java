package io.verbena.samples.services;

import io.verbena.channel.zookeeper.ZooKeeperRegistration;
import io.verbena.core.VerbenaServer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The deployment's settings for each of these programs: the way to find others, and the page for
 * monitoring.
 */
final class Place {
  @Option(
      names = "--registry",
      paramLabel = "zookeeper://HOST:PORT/BASE",
      description =
          "the registry of all services. Default: 'verbena.names' or VERBENA_NAMES has their addresses")
  private @Nullable String registry;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:0",
      description = "serve /metrics to Prometheus here. Default: any port of this machine alone")
  private String metrics = "";

  /** Returns the target of the servers of this name. */
  String target(String name) {
    return registry == null ? "verbena:///" + name : registry + "/" + name;
  }

  /** Registers a server by this name. It leaves the registry by itself, before it drains. */
  void register(VerbenaServer server, String name) {
    if (registry != null) {
      ZooKeeperRegistration.builder(server, target(name)).register();
    }
  }

  /** Begins to watch this process. */
  Watch watch(String name) {
    return new Watch(name, metrics);
  }
}
