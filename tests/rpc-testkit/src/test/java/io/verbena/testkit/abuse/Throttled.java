package io.verbena.testkit.abuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;

/** Clients behind a slow line, and the line. */
final class Throttled implements Abuser {
  private static final long BITS_PER_SECOND = 2_000_000;

  private final ThrottledProxy line;
  private final Abuser clients;

  private Throttled(ThrottledProxy line, Abuser clients) {
    this.line = line;
    this.clients = clients;
  }

  static Abuser start(InetSocketAddress server, int sessions) throws IOException {
    URI address = URI.create("tcp://" + server.getHostString() + ":" + server.getPort());
    ThrottledProxy line = new ThrottledProxy(address, BITS_PER_SECOND);
    return new Throttled(line, BadClient.moves(line.address(), sessions));
  }

  @Override
  public boolean isInEffect() {
    return clients.isInEffect();
  }

  @Override
  public Got got() {
    return clients.got();
  }

  @Override
  public void close() {
    try {
      line.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      clients.close();
    }
  }
}
