package io.verbena.bench.rival;

import static org.openucx.jucx.ucs.UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST;

import io.verbena.bench.load.Call;
import io.verbena.bench.load.Caller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * One end of a connection of UCX through its Java binding. Two processes of one host exchange
 * tagged messages through shared memory. UCX must be installed (Debian: {@code libucx0}). One
 * thread sends and polls.
 */
abstract class JucxEnd implements AutoCloseable {
  static final int MOST_BYTES = 64 << 10;

  private static final int NONE = -1;
  private static final long ALL_BITS = -1;
  private static final UcxCallback NOTHING = new UcxCallback();

  private final UcpContext context;
  final UcpWorker worker;
  private final ByteBuffer in = ByteBuffer.allocateDirect(MOST_BYTES);
  private final ByteBuffer out = ByteBuffer.allocateDirect(MOST_BYTES);
  private final UcxCallback onMessage =
      new UcxCallback() {
        @Override
        public void onSuccess(UcpRequest request) {
          arrived = (int) request.getRecvSize();
        }
      };

  /** The length of the message in the buffer. It waits, because polls must not be nested. */
  private int arrived = NONE;

  private final IdleStrategy idle;
  private final int hears;
  private final int says;
  private @Nullable Thread thread;
  private volatile boolean closing;

  /**
   * Makes an end.
   *
   * @param hears the tag of incoming messages; outgoing messages have the other tag
   * @param idle the strategy of the thread after an empty poll
   */
  JucxEnd(int hears, IdleStrategy idle) {
    this.idle = idle;
    this.hears = hears;
    this.says = 3 - hears;
    try {
      context = new UcpContext(new UcpParams().requestTagFeature());
    } catch (UnsatisfiedLinkError e) {
      throw new IllegalStateException(
          "UCX cannot be loaded (Debian: apt install libucx0): " + e.getMessage(), e);
    }
    worker = context.newWorker(new UcpWorkerParams());
  }

  /** Handles a message, on the thread. */
  abstract void take(ByteBuffer message);

  /** Does the work between two polls, on the thread. */
  abstract void turn() throws InterruptedException;

  final void receive() {
    worker.recvTaggedNonBlocking(
        UcxUtils.getAddress(in.clear()),
        MOST_BYTES,
        hears,
        ALL_BITS,
        onMessage,
        UCS_MEMORY_TYPE_HOST);
  }

  /** Sends a message. Returns when its bytes may be changed. */
  final void send(UcpEndpoint to, ByteBuffer message) throws Exception {
    out.clear().put(message).flip();
    UcpRequest sent =
        to.sendTaggedNonBlocking(
            UcxUtils.getAddress(out), out.remaining(), says, NOTHING, UCS_MEMORY_TYPE_HOST);
    while (!sent.isCompleted()) {
      worker.progress();
    }
  }

  final void run(String name) {
    Thread started =
        Thread.ofPlatform()
            .daemon()
            .name(name)
            .unstarted(
                () -> {
                  try {
                    while (!closing) {
                      turn();
                      idle.idle(worker.progress());
                      if (arrived != NONE) {
                        take(in.clear().limit(arrived));
                        arrived = NONE;
                        receive();
                      }
                    }
                  } catch (InterruptedException e) {
                    // closed
                  } catch (Exception e) { // UCX's binding declares no other
                    failed(e);
                  }
                });
    thread = started;
    started.start();
  }

  /** Called when the thread has ended with a failure. */
  abstract void failed(Exception e);

  @Override
  public void close() {
    closing = true;
    Thread ending = thread;
    if (ending != null) {
      ending.interrupt();
      try {
        ending.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    worker.close();
    context.close();
  }

  /** Answers each message with itself. */
  static final class Server extends JucxEnd implements RivalServer {
    private final int port = DarpcServer.freePort();
    private final UcpListener listener;
    private @Nullable UcpEndpoint peer;

    private Server(boolean polls) {
      super(1, polls ? new BusySpinIdleStrategy() : new BackoffIdleStrategy());
      listener =
          worker.newListener(
              new UcpListenerParams()
                  .setSockAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                  .setConnectionHandler(
                      request ->
                          peer =
                              worker.newEndpoint(
                                  new UcpEndpointParams().setConnectionRequest(request))));
      receive();
      run("jucx-echo");
    }

    /**
     * Starts the server.
     *
     * @param polls whether its thread never waits; else it waits as {@link AeronServer} does
     */
    static RivalServer start(boolean polls) {
      return new Server(polls);
    }

    @Override
    void take(ByteBuffer message) {
      UcpEndpoint to = peer;
      if (to != null) {
        try {
          send(to, message);
        } catch (Exception e) {
          failed(e);
        }
      }
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

  /** Starts calls, and polls while answers are outstanding. */
  static final class Client extends JucxEnd implements Caller {
    private final BlockingQueue<Call> waiting = new LinkedBlockingQueue<>();
    private final ArrayDeque<Call> underWay = new ArrayDeque<>();
    private final UcpEndpoint peer;

    Client(int port) throws IOException {
      super(2, new BusySpinIdleStrategy());
      peer =
          worker.newEndpoint(
              new UcpEndpointParams()
                  .setSocketAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
      receive();
      run("jucx-poll");
    }

    @Override
    public void start(Call call) {
      waiting.add(call);
    }

    @Override
    void turn() throws InterruptedException {
      Call next = underWay.isEmpty() ? waiting.take() : waiting.poll();
      if (next != null) {
        underWay.add(next);
        try {
          send(peer, ByteBuffer.wrap(next.message()));
        } catch (Exception e) {
          failed(e);
        }
      }
    }

    @Override
    void take(ByteBuffer message) {
      byte[] answer = new byte[message.remaining()];
      message.get(answer);
      underWay.remove().answered(answer);
    }

    @Override
    void failed(Exception e) {
      underWay.forEach(call -> call.failed(e));
      waiting.forEach(call -> call.failed(e));
    }

    @Override
    public String path() {
      return "shared memory (UCX)";
    }
  }
}
