package io.verbena.bench.rival;

import java.util.EnumMap;
import java.util.Map;

/** The servers of rivals in one process. Each starts on first use. Safe for use by any thread. */
public final class RivalServers implements AutoCloseable {
  private final String host;
  private final boolean polls;
  private final Map<Rival, RivalServer> started = new EnumMap<>(Rival.class);

  /**
   * Makes servers for a host.
   *
   * @param polls whether their threads never wait, if the rival supports that
   */
  public RivalServers(String host, boolean polls) {
    this.host = host;
    this.polls = polls;
  }

  /**
   * Returns the port of a rival's server.
   *
   * @param name the {@link Rival#name} of the rival
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
