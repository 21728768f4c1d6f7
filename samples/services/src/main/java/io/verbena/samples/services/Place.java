package io.verbena.samples.services;

import io.verbena.channel.zookeeper.ZooKeeperRegistration;
import io.verbena.core.VerbenaServer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a deployment says to each of these programs: how others are found, and who may watch. */
final class Place {
  @Option(
      names = "--registry",
      paramLabel = "zookeeper://HOST:PORT/BASE",
      description =
          "register here, and find others here. Default: 'verbena.names' or VERBENA_NAMES says"
              + " where they are")
  private @Nullable String registry;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:0",
      description = "serve /metrics to Prometheus here. Default: any port of this machine alone")
  private String metrics = "";

  /** Returns where a channel finds the servers of this name. */
  String target(String name) {
    return registry == null ? "verbena:///" + name : registry + "/" + name;
  }

  /** Has a server found by this name. It leaves the registry by itself, before it drains. */
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
