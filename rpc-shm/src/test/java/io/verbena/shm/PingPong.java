package io.verbena.shm;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Measures a link by itself: a frame there and back between two processes, and bulk between two
 * threads. For whoever changes the rings; no test runs it.
 */
final class PingPong {
  private static final int ROUNDS = 10;

  private PingPong() {}

  /** Arguments: bytes of a frame, round trips, "poll" or "wait"; or "bulk", bytes, times. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("bulk")) {
      bulk(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      return;
    }
    int bytes = Integer.parseInt(arguments[0]);
    int times = Integer.parseInt(arguments[1]);
    boolean polls = arguments[2].equals("poll");
    Thread main = Thread.currentThread();
    ShmUpgradeProvider links =
        new ShmUpgradeProvider(LinkFiles.SHM, ShmSettings.ofProperties(), NanoClock.SYSTEM);
    List<String> fast = List.of("-XX:TieredStopAtLevel=4");
    try (JavaProcess peer =
            JavaProcess.start(fast, EchoProcess.class, LinkFiles.SHM.toString(), arguments[2]);
        UpgradeDriver driver = links.newDriver(() -> LockSupport.unpark(main))) {
      Counter counter = new Counter();
      driver.connect(HexFormat.of().parseHex(peer.line()), EchoProcess.OPTIONS, counter);
      while (counter.link == null) {
        driver.poll(System.nanoTime());
      }
      Link link = counter.link;
      Slot slot = Objects.requireNonNull(new SlotPool(64 << 10, 1 << 20).claim());
      slot.length(bytes);
      long[] nanos = new long[times];
      for (int round = 0; round < ROUNDS; round++) {
        long begin = System.nanoTime();
        for (int i = 0; i < times; i++) {
          long before = System.nanoTime();
          int heard = counter.heard;
          if (link.send(slot) != SendResult.SENT) {
            throw new AssertionError("an idle link pushed back");
          }
          link.flush();
          while (counter.heard == heard) {
            if (driver.poll(before) == 0) {
              if (polls) {
                Thread.onSpinWait();
              } else if (driver.armWakeup(before)) {
                LockSupport.parkNanos(1_000_000_000);
              }
            }
          }
          nanos[i] = System.nanoTime() - before;
        }
        long mean = (System.nanoTime() - begin) / times;
        Arrays.sort(nanos);
        System.out.printf(
            "%d B there and back: mean %d ns, median %d, 99 %% %d%n",
            bytes, mean, nanos[times / 2], nanos[times - 1 - times / 100]);
      }
    }
  }

  private static void bulk(int bytes, int times) throws Exception {
    ShmUpgradeProvider links =
        new ShmUpgradeProvider(LinkFiles.SHM, ShmSettings.ofProperties(), NanoClock.SYSTEM);
    Counter server = new Counter();
    Counter client = new Counter();
    UpgradeDriver there = links.newDriver(() -> {});
    byte[] offer = there.offer(ShmOffer.request(), EchoProcess.HERE, EchoProcess.OPTIONS, server);
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (server.link == null) {
                    there.poll(System.nanoTime());
                  }
                  receive(Objects.requireNonNull(server.link), there, bytes, times);
                });
    try (UpgradeDriver driver = links.newDriver(() -> {})) {
      driver.connect(offer, EchoProcess.OPTIONS, client);
      while (client.link == null) {
        driver.poll(System.nanoTime());
      }
      BulkPort port = Objects.requireNonNull(client.link.bulk());
      BulkRegion source =
          port.attach(Arena.global().allocate(bytes).fill((byte) 1), MemoryLife.HELD);
      long[] nanos = new long[times];
      for (int i = 0; i < times; i++) {
        byte[] advertisement;
        while ((advertisement = client.advertisement) == null) {
          driver.poll(System.nanoTime());
        }
        RemoteTarget remote = port.remote(ByteBuffer.wrap(advertisement));
        client.advertisement = null;
        long begin = System.nanoTime();
        int at = 0;
        int[] pending = new int[1];
        while (at < bytes) {
          int piece = Math.min(port.chunkBytes(), bytes - at);
          if (pending[0] * (long) port.chunkBytes() < port.windowBytes()
              && port.write(remote, at, source, at, piece, at + piece == bytes, () -> pending[0]--)
                  == SendResult.SENT) {
            at += piece;
            pending[0]++;
          } else {
            driver.poll(begin);
          }
        }
        while (client.advertisement == null && i < times - 1) {
          driver.poll(begin);
        }
        nanos[i] = System.nanoTime() - begin;
      }
      Arrays.sort(nanos);
      System.out.printf(
          "%d B of bulk: 5 %% %d us, median %d us%n",
          bytes, nanos[times / 20] / 1000, nanos[times / 2] / 1000);
      thread.join();
    }
    there.close();
  }

  private static void receive(Link link, UpgradeDriver driver, int bytes, int times) {
    try {
      BulkPort port = Objects.requireNonNull(link.bulk());
      MemorySegment memory = Arena.global().allocate(bytes).fill((byte) 2);
      BulkRegion region = port.attach(memory, MemoryLife.HELD);
      Slot slot = Slot.unpooled(64);
      for (int i = 0; i < times; i++) {
        boolean[] whole = new boolean[1];
        BulkTarget target = port.open(region, 0, bytes, upTo -> whole[0] = upTo == bytes);
        byte[] advertisement = target.advertisement();
        slot.buffer().put(0, advertisement);
        slot.length(advertisement.length);
        link.send(slot);
        link.flush();
        while (!whole[0]) {
          driver.poll(0);
        }
        target.close(() -> {});
      }
    } catch (LinkException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Counter implements LinkDriver.ConnectHandler, LinkListener {
    volatile Link link;
    byte @Nullable [] advertisement;
    int heard;

    @SuppressWarnings("NullAway.Init") // by what comes
    Counter() {}

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      return this;
    }

    @Override
    public void onFailed(LinkException failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      heard++;
      if (to - from == 16) {
        advertisement = new byte[16];
        buffer.get(from, advertisement);
      }
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }
}
