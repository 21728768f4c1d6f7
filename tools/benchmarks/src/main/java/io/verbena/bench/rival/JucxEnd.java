package io.verbena.bench.rival;

import static org.openucx.jucx.ucs.UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST;

import java.nio.ByteBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * One end of a connection of UCX through its Java binding. Two processes exchange tagged messages
 * by the transport that UCX chooses, or that its variable {@code UCX_TLS} names: shared memory on
 * one host. UCX must be installed (Debian: {@code libucx0}). One thread sends and polls. The length
 * of a message tells what it is:
 *
 * <pre>
 *   client                                   server
 *     1 byte: where do puts land?  ─────────→
 *                                   ←───────── address and remote key of a window
 *     4 bytes: a put has landed at this place of the window  ──→
 *                                   ←───────── 8 bytes: its number, as read there
 *     8 bytes and more: a call     ─────────→
 *                                   ←───────── the same bytes
 * </pre>
 */
abstract class JucxEnd implements AutoCloseable {
  static final int MOST_BYTES = 64 << 10;

  /** Where puts land. */
  static final int WINDOW_BYTES = 64 << 20;

  static final int WHERE_BYTES = 1;
  static final int LANDED_BYTES = 4;
  static final UcxCallback NOTHING = new UcxCallback();

  private static final long ALL_BITS = -1;

  final UcpContext context;
  final UcpWorker worker;
  private final ByteBuffer in = ByteBuffer.allocateDirect(Integer.BYTES + MOST_BYTES);
  private final ByteBuffer out = ByteBuffer.allocateDirect(Integer.BYTES + MOST_BYTES);
  private final UcxCallback onMessage =
      new UcxCallback() {
        @Override
        public void onSuccess(UcpRequest request) {
          hasArrived = true;
        }
      };

  /** Whether a message is in the buffer. It waits, because polls must not be nested. */
  private boolean hasArrived;

  private final IdleStrategy idle;
  private final int hears;
  private final int says;
  private @Nullable UcpMemory window;
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
      context = new UcpContext(new UcpParams().requestTagFeature().requestRmaFeature());
    } catch (UnsatisfiedLinkError e) {
      throw new IllegalStateException(
          "UCX cannot be loaded (Debian: apt install libucx0): " + e.getMessage(), e);
    }
    worker = context.newWorker(new UcpWorkerParams());
  }

  /** Handles a message, on the thread. */
  abstract void take(ByteBuffer message) throws Exception;

  /** Does the work between two polls, on the thread. */
  abstract void turn() throws Exception;

  final void receive() {
    worker.recvTaggedNonBlocking(
        UcxUtils.getAddress(in.clear()),
        in.capacity(),
        hears,
        ALL_BITS,
        onMessage,
        UCS_MEMORY_TYPE_HOST);
  }

  /**
   * Sends a message behind its length. The binding does not know the length of a message that came
   * before its receive was posted. Returns when its bytes may be changed.
   */
  final void send(UcpEndpoint to, ByteBuffer message) throws Exception {
    out.clear().putInt(message.remaining()).put(message).flip();
    UcpRequest sent =
        to.sendTaggedNonBlocking(
            UcxUtils.getAddress(out), out.remaining(), says, NOTHING, UCS_MEMORY_TYPE_HOST);
    while (!sent.isCompleted()) {
      worker.progress();
    }
  }

  /** Maps memory that the other end may reach; for one window of each end. */
  final UcpMemory window() {
    UcpMemory mapped = context.memoryMap(new UcpMemMapParams().allocate().setLength(WINDOW_BYTES));
    window = mapped;
    return mapped;
  }

  /** Polls, and handles a message that has come. */
  final void poll() throws Exception {
    idle.idle(worker.progress());
    if (hasArrived) {
      hasArrived = false;
      int length = in.clear().getInt();
      take(in.limit(Integer.BYTES + length));
      receive();
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
                      poll();
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

  /** Releases what else UCX has lent, when the thread has ended. */
  void release() {}

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
    release();
    UcpMemory mapped = window;
    if (mapped != null) {
      mapped.close();
    }
    worker.close();
    context.close();
  }
}
