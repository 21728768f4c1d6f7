package io.verbena.bench.rival;

import java.util.EnumMap;
import java.util.Map;

/** The rivals' servers of one process, each started when first asked for. Safe for any thread. */
public final class RivalServers implements AutoCloseable {
  private final String host;
  private final boolean polls;
  private final Map<Rival, RivalServer> started = new EnumMap<>(Rival.class);

  /**
   * Servers that listen on this host.
   *
   * @param polls whether their threads never wait, where they leave the choice
   */
  public RivalServers(String host, boolean polls) {
    this.host = host;
    this.polls = polls;
  }

  /**
   * Returns the port at which a rival listens.
   *
   * @param name the rival's, as {@link Rival#name}
   */
  public synchronized int port(String name) {
    Rival rival = Rival.valueOf(name);
    RivalServer server = started.get(rival);
    if (server == null) {
      server = rival.serve(host, polls);
      started.put(rival, server);
    }
    return server.port();
  }

  @Override
  public synchronized void close() {
    started.values().forEach(RivalServer::close);
    started.clear();
  }
}
