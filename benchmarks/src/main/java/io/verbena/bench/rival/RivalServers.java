package io.verbena.bench.rival;

import java.util.EnumMap;
import java.util.Map;

/** The rivals' servers of one process, each started when first asked for. Safe for any thread. */
public final class RivalServers implements AutoCloseable {
  private final String host;
  private final Map<Rival, RivalServer> started = new EnumMap<>(Rival.class);

  /** Servers that listen on this host. */
  public RivalServers(String host) {
    this.host = host;
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
      server = rival.serve(host);
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
