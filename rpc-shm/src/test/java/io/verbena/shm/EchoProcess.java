package io.verbena.shm;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/** A process that offers one link, and sends back what comes by it until the link ends. */
final class EchoProcess {
  static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(10), null);
  static final URI HERE = URI.create("tcp://127.0.0.1:1");

  private EchoProcess() {}

  /** Prints the offer; the arguments are the directory, and whether to poll all the time. */
  public static void main(String[] arguments) throws LinkException {
    Thread main = Thread.currentThread();
    ShmUpgradeProvider links =
        new ShmUpgradeProvider(Path.of(arguments[0]), ShmSettings.ofProperties(), NanoClock.SYSTEM);
    boolean polls = arguments[1].equals("poll");
    try (UpgradeDriver driver = links.newDriver(() -> LockSupport.unpark(main))) {
      Echo echo = new Echo();
      byte[] offer = driver.offer(ShmOffer.request(), HERE, OPTIONS, echo);
      System.out.println(HexFormat.of().formatHex(offer));
      while (!echo.over) {
        if (driver.poll(System.nanoTime()) > 0) {
          continue;
        }
        if (polls) {
          Thread.onSpinWait();
        } else if (driver.armWakeup(System.nanoTime())) {
          LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        }
      }
    }
  }

  /** Sends frames back. */
  static final class Echo implements LinkDriver.ConnectHandler, LinkListener {
    private final Slot slot = Objects.requireNonNull(new SlotPool(64 << 10, 1 << 20).claim());
    private Link link;
    volatile boolean over;

    @SuppressWarnings("NullAway.Init") // by onConnected
    Echo() {}

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      return this;
    }

    @Override
    public void onFailed(LinkException failure) {
      failure.printStackTrace();
      over = true;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      slot.buffer().put(0, buffer, from, to - from);
      slot.length(to - from);
      if (link.send(slot) != SendResult.SENT) {
        link.abort("an idle link pushed back");
      }
      link.flush();
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {
      over = true;
    }
  }
}
