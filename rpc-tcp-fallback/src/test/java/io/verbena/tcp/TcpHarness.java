package io.verbena.tcp;

import io.verbena.link.LinkProvider;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.LinkHarness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** TCP over loopback. */
final class TcpHarness implements LinkHarness {
  private final LinkProvider provider;
  private final @Nullable TlsOptions client;
  private final @Nullable TlsOptions server;
  private final int allocatedBytesPerRoundTrip;
  private final List<AutoCloseable> open = new ArrayList<>();

  TcpHarness(
      Transport transport,
      @Nullable TlsOptions client,
      @Nullable TlsOptions server,
      int allocatedBytesPerRoundTrip) {
    this.provider = new TcpLinkProvider(transport);
    this.client = client;
    this.server = server;
    this.allocatedBytesPerRoundTrip = allocatedBytesPerRoundTrip;
  }

  static TcpHarness nio() {
    return new TcpHarness(Transport.nio("for the test"), null, null, 0);
  }

  static TcpHarness epoll() {
    return new TcpHarness(Transport.epoll(), null, null, 0);
  }

  static TcpHarness tls() {
    TlsOptions client = TlsOptions.client(Identities.CLIENT.trusting(Identities.SERVER));
    TlsOptions server = TlsOptions.mutual(Identities.SERVER.trusting(Identities.CLIENT));
    return new TcpHarness(Transport.best(), client, server, 0);
  }

  @Override
  public byte[] overstated(byte[] advertisement) {
    ByteBuffer bytes = ByteBuffer.allocate(advertisement.length).put(advertisement);
    return bytes.putLong(Long.BYTES, bytes.getLong(Long.BYTES) + 1).array();
  }

  @Override
  public LinkProvider provider() {
    return provider;
  }

  @Override
  public URI freeAddress() {
    return URI.create("tcp://127.0.0.1:0");
  }

  @Override
  public URI nobodyListens() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return uri(socket.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A listener whose queue of connections is full: Linux then drops what asks for one more. */
  @Override
  public URI nobodyAnswers() {
    try {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      open.add(socket);
      for (int i = 0; i < 4; i++) {
        Socket filler = new Socket();
        open.add(filler);
        try {
          filler.connect(socket.getLocalSocketAddress(), 100);
        } catch (IOException e) {
          break;
        }
      }
      return uri(socket.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URI uri(int port) {
    return URI.create("tcp://127.0.0.1:" + port);
  }

  @Override
  public @Nullable TlsOptions clientTls() {
    return client;
  }

  @Override
  public @Nullable TlsOptions serverTls() {
    return server;
  }

  @Override
  public int allocatedBytesPerRoundTrip() {
    return allocatedBytesPerRoundTrip;
  }

  @Override
  public void close() {
    for (AutoCloseable each : open) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
