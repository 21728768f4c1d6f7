package io.verbena.testkit;

import com.sun.management.ThreadMXBean;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Counts what a round trip of one frame each way allocates, in both drivers together. */
final class AllocationProbe {
  private static final int FRAME = 64;
  private static final int MEASURED = 1000;

  /** On a busy machine the compiler comes late, and what it has not compiled yet allocates more. */
  private static final int ATTEMPTS = 200;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final Slot slot = Slot.unpooled(FRAME);
  private final LinkDriver client;
  private final LinkDriver server;
  private @Nullable Link link;
  private int echoes;

  AllocationProbe(LinkHarness harness, LinkOptions clientOptions, LinkOptions serverOptions)
      throws LinkException {
    slot.length(FRAME);
    client = harness.provider().newDriver(() -> {});
    server = harness.provider().newDriver(() -> {});
    URI address = server.listen(harness.freeAddress(), serverOptions, Echo::new).address();
    client.connect(
        address,
        clientOptions,
        new LinkDriver.ConnectHandler() {
          @Override
          public LinkListener onConnected(Link opened) {
            link = opened;
            return new Counter();
          }

          @Override
          public void onFailed(LinkException failure) {
            throw new AssertionError(failure);
          }
        });
    while (link == null) {
      client.poll();
      server.poll();
    }
  }

  /**
   * Returns the least of a few measurements, since compiling and profiling allocate as well.
   *
   * @param enough a result at which measuring ends
   */
  long bytesPerThousandRoundTrips(int warmUp, long enough) {
    roundTrips(warmUp);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && least > enough; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      roundTrips(MEASURED);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    client.close();
    server.close();
    return least;
  }

  private void roundTrips(int count) {
    Link sender = link;
    if (sender == null) {
      throw new IllegalStateException("not connected");
    }
    for (int i = 0; i < count; i++) {
      int before = echoes;
      if (sender.send(slot) != SendResult.SENT) {
        throw new AssertionError("an idle link pushed back");
      }
      sender.flush();
      while (echoes == before) {
        server.poll();
        client.poll();
      }
    }
  }

  private final class Counter implements LinkListener {
    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      echoes++;
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }

  private static final class Echo implements LinkListener {
    private final Link link;
    private final Slot slot = Slot.unpooled(FRAME);

    Echo(Link link) {
      this.link = link;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      slot.buffer().put(0, buffer, from, to - from);
      slot.length(to - from);
      if (link.send(slot) != SendResult.SENT) {
        throw new AssertionError("an idle link pushed back");
      }
      link.flush();
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }
}
