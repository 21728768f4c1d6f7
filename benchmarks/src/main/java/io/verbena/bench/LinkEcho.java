package io.verbena.bench;

import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.LinkProvider;
import io.verbena.core.link.SendResult;
import io.verbena.core.memory.Slot;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Frames on Verbena's TCP link; each end waits in the kernel when it has nothing to do. */
final class LinkEcho implements Echo {
  private static final LinkOptions OPTIONS = new LinkOptions(1024, Duration.ofSeconds(10), null);
  private static final long WAIT_NANOS = 1_000_000_000L;

  private final LinkProvider provider;
  private final LinkDriver client;
  private final Thread serving;
  private final Caller caller = new Caller();
  private volatile boolean stopped;

  LinkEcho(LinkProvider provider) {
    this.provider = provider;
    CompletableFuture<URI> address = new CompletableFuture<>();
    serving = Thread.ofPlatform().daemon().name("link-echo").start(() -> serve(address));
    client = provider.newDriver(() -> {});
    client.connect(address.join(), OPTIONS, caller);
    while (caller.link == null) {
      client.await(WAIT_NANOS);
    }
  }

  @Override
  public String name() {
    return "Verbena's link on " + provider;
  }

  private void serve(CompletableFuture<URI> address) {
    Replier replier = new Replier();
    try (LinkDriver server = provider.newDriver(() -> {})) {
      URI any = URI.create("tcp://127.0.0.1:0");
      address.complete(server.listen(any, OPTIONS, replier::accept).address());
      while (!stopped) {
        step(server, replier.link);
      }
    } catch (LinkException e) {
      address.completeExceptionally(e);
    }
  }

  /** One duty cycle: what it sent leaves in one write. */
  private static void step(LinkDriver driver, @Nullable Link link) {
    if (driver.poll() == 0) {
      driver.await(WAIT_NANOS);
    }
    if (link != null) {
      link.flush();
    }
  }

  @Override
  public void roundTrips(int count, int outstanding, Histogram nanos) {
    caller.start(count, Math.min(count, outstanding), nanos);
    while (caller.left > 0) {
      step(client, caller.link);
    }
  }

  @Override
  public void close() {
    stopped = true;
    client.close();
    try {
      serving.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private abstract static class End implements LinkListener {
    final Slot slot = Slot.unpooled(BYTES);
    @Nullable Link link;

    final void send() {
      if (link == null || !(link.send(slot) instanceof SendResult.Sent)) {
        throw new IllegalStateException("no link, or no room for what is outstanding");
      }
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed(String reason) {}
  }

  private static final class Replier extends End {
    LinkListener accept(Link accepted) {
      link = accepted;
      return this;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      slot.buffer().put(0, buffer, from, to - from);
      slot.length(to - from);
      send();
    }
  }

  private static final class Caller extends End implements LinkDriver.ConnectHandler {
    private Histogram nanos = new Histogram(1);
    private int unsent;
    private int left;

    void start(int count, int outstanding, Histogram times) {
      nanos = times;
      left = count;
      unsent = count;
      for (int i = 0; i < outstanding; i++) {
        call();
      }
      if (link != null) {
        link.flush();
      }
    }

    private void call() {
      unsent--;
      slot.buffer().putLong(0, System.nanoTime());
      slot.length(BYTES);
      send();
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      nanos.recordValue(System.nanoTime() - buffer.getLong(from));
      left--;
      if (unsent > 0) {
        call();
      }
    }

    @Override
    public LinkListener onConnected(Link opened) {
      link = opened;
      return this;
    }

    @Override
    public void onFailed(LinkException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
