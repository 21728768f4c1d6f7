package io.verbena.bench.rival;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucp.UcpMemory;

/** Answers each message, and has memory for puts. */
final class JucxServer extends JucxEnd implements RivalServer {
  private final int port = DarpcServer.freePort();
  private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);
  private final UcpListener listener;
  private final UcpMemory memory;
  private final ByteBuffer landed;
  private @Nullable UcpEndpoint peer;

  private JucxServer(String host, boolean polls) {
    super(1, polls ? new BusySpinIdleStrategy() : new BackoffIdleStrategy());
    memory = window();
    landed = UcxUtils.getByteBufferView(memory.getAddress(), WINDOW_BYTES);
    listener =
        worker.newListener(
            new UcpListenerParams()
                .setSockAddr(new InetSocketAddress(host, port))
                .setConnectionHandler(
                    request ->
                        peer =
                            worker.newEndpoint(
                                new UcpEndpointParams()
                                    .setConnectionRequest(request)
                                    .setErrorHandler((gone, status, message) -> {}))));
    receive();
    run("jucx-echo");
  }

  /**
   * Starts the server.
   *
   * @param polls whether its thread never waits; else it waits as {@link AeronServer} does
   */
  static RivalServer start(String host, boolean polls) {
    return new JucxServer(host, polls);
  }

  @Override
  void take(ByteBuffer message) throws Exception {
    UcpEndpoint to = peer;
    if (to != null) {
      send(to, answer(message));
    }
  }

  private ByteBuffer answer(ByteBuffer message) {
    return switch (message.remaining()) {
      case WHERE_BYTES -> {
        ByteBuffer key = memory.getRemoteKeyBuffer();
        yield ByteBuffer.allocate(Long.BYTES + key.remaining())
            .putLong(memory.getAddress())
            .put(key)
            .flip();
      }
      case LANDED_BYTES -> number.clear().putLong(landed.getLong(message.getInt())).flip();
      default -> message;
    };
  }

  @Override
  void turn() {}

  @Override
  void failed(Exception e) {
    throw new IllegalStateException("UCX failed", e);
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void close() {
    listener.close();
    super.close();
  }
}
