package io.verbena.shm;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.RecordingListener;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A passive and an active end in one process, stepped by the test's own thread. */
final class TwoEnds implements AutoCloseable {
  static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(10), null);
  static final URI HERE = URI.create("tcp://127.0.0.1:7400");
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  final Path base;
  final ShmUpgradeProvider provider;
  final UpgradeDriver passive;
  final UpgradeDriver active;

  /** The time that a test has skipped. */
  private final AtomicLong skipped = new AtomicLong();

  TwoEnds(Path base) {
    this.base = base;
    this.provider =
        new ShmUpgradeProvider(base, ShmSettings.DEFAULT.withRingBytes(256 << 10), this::now);
    this.passive = provider.newDriver(() -> {});
    this.active = provider.newDriver(() -> {});
  }

  private long now() {
    return System.nanoTime() + skipped.get();
  }

  void pass(Duration time) {
    skipped.addAndGet(time.toNanos());
  }

  byte[] offer(Outcome outcome) throws LinkException {
    return passive.offer(ShmOffer.request(), HERE, OPTIONS, outcome);
  }

  /** Connects by an offer, until the outcome is known. */
  Outcome connect(byte[] offer) {
    Outcome outcome = new Outcome();
    active.connect(offer, OPTIONS, outcome);
    stepUntil("the outcome", outcome::isKnown);
    return outcome;
  }

  /** Opens a link, and returns the active end of it and the passive one. */
  List<LinkEnd> open() throws LinkException {
    Outcome there = new Outcome();
    LinkEnd here = connect(offer(there)).end();
    stepUntil("the other end", there::isKnown);
    return List.of(here, there.end());
  }

  /** Shows that other links live. */
  void requireThatLinksWork() throws LinkException {
    List<LinkEnd> ends = open();
    for (int from = 0; from < 2; from++) {
      LinkEnd to = ends.get(1 - from);
      ends.get(from).sendNow(new byte[] {1, 2, 3});
      stepUntil("a frame", () -> to.heard().frames().size() == 1);
    }
    ends.getFirst().link().close();
    stepUntil("the end", () -> ends.getLast().heard().isClosed());
  }

  void step() {
    passive.poll(now());
    active.poll(now());
  }

  void stepUntil(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited in vain for " + what);
      }
      step();
    }
  }

  long counted(String figure) {
    return provider.figures().getOrDefault(figure, -1L);
  }

  @Override
  public void close() {
    active.close();
    passive.close();
    if (counted("shm mapped bytes") != 0) {
      throw new AssertionError("memory of links is left: " + provider.figures());
    }
  }

  /** The outcome of an offer, or of a connection attempt with one. */
  static final class Outcome implements LinkDriver.ConnectHandler {
    private final List<LinkEnd> ends = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    @Override
    public LinkListener onConnected(Link link) {
      RecordingListener heard = new RecordingListener();
      ends.add(new LinkEnd(link, heard));
      return heard;
    }

    @Override
    public void onFailed(LinkException failure) {
      failures.add(String.valueOf(failure.getMessage()));
    }

    boolean isKnown() {
      if (ends.size() + failures.size() > 1) {
        throw new AssertionError("the outcome was told twice");
      }
      return ends.size() + failures.size() == 1;
    }

    LinkEnd end() {
      if (ends.isEmpty()) {
        throw new AssertionError("no link: " + failures);
      }
      return ends.getFirst();
    }

    String failure() {
      if (failures.isEmpty()) {
        throw new AssertionError("no failure");
      }
      return failures.getFirst();
    }
  }
}
