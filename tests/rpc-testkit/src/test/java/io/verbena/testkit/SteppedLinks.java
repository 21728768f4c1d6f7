package io.verbena.testkit;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A client's and a server's driver, stepped by the test's own thread, and links between them. */
public final class SteppedLinks implements AutoCloseable {
  /**
   * How long anything may take, by the real clock and by the links' own: where that one is stepped
   * it runs ahead, and a wait in vain ends soon.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final LinkDriver client;
  private final LinkDriver server;

  private final LinkHarness harness;

  /** Another loop's of the server's; null until a test asks for it. */
  private @Nullable LinkDriver elsewhere;

  private final LinkOptions clientOptions;
  private final int idleSteps;
  private final LinkDriver.Listening listening;
  private final List<LinkEnd> accepted = new ArrayList<>();
  private final List<LinkEnd> opened = new ArrayList<>();

  /** Listens at a free address of the harness. */
  public SteppedLinks(LinkHarness harness, LinkOptions clientOptions, LinkOptions serverOptions)
      throws LinkException {
    this.harness = harness;
    this.clientOptions = clientOptions;
    this.idleSteps = harness.idleSteps();
    this.client = harness.provider().newDriver(() -> {});
    this.server = harness.provider().newDriver(() -> {});
    this.listening = server.listen(harness.freeAddress(), serverOptions, this::accept);
  }

  private LinkListener accept(Link link) {
    RecordingListener heard = new RecordingListener();
    accepted.add(new LinkEnd(link, heard));
    return heard;
  }

  /** Returns the client's driver. */
  public LinkDriver client() {
    return client;
  }

  /** Returns the server's driver. */
  public LinkDriver server() {
    return server;
  }

  /** Returns the driver of another of the server's loops. */
  public LinkDriver elsewhere() {
    LinkDriver driver = elsewhere;
    if (driver == null) {
      driver = harness.provider().newDriver(() -> {});
      elsewhere = driver;
    }
    return driver;
  }

  /** Returns what listens. */
  public LinkDriver.Listening listening() {
    return listening;
  }

  /** Returns the server's end of a link from an address; null while there is none. */
  public @Nullable LinkEnd acceptedFrom(String peerAddress) {
    for (int i = accepted.size() - 1; i >= 0; i--) {
      if (accepted.get(i).link().peerAddress().equals(peerAddress)) {
        return accepted.get(i);
      }
    }
    return null;
  }

  /** Returns how many links were accepted so far. */
  public int acceptedCount() {
    return accepted.size();
  }

  /** Returns how many accepted links have not closed. */
  public int openAcceptedCount() {
    return openOf(accepted);
  }

  /** Returns how many ends of links have not closed, at the client and at the server. */
  public int openCount() {
    return openOf(opened) + openOf(accepted);
  }

  private static int openOf(List<LinkEnd> ends) {
    return (int) ends.stream().filter(end -> !end.heard().isClosed()).count();
  }

  /** Opens a link and steps until both ends know of it. */
  public Pair open() {
    int before = accepted.size();
    LinkEnd near = connect(listening.address()).end();
    stepUntil("the server to accept", () -> accepted.size() > before);
    return new Pair(near, accepted.get(before));
  }

  /** Tries to open a link and steps until the outcome is known. */
  public Outcome connect(URI address) {
    return connect(address, clientOptions);
  }

  /** Tries to connect with other options, until the outcome is known. */
  public Outcome connect(URI address, LinkOptions options) {
    Outcome outcome = startConnecting(address, options);
    stepUntil("connecting to " + address + " to end", outcome::isKnown);
    return outcome;
  }

  /** Begins to open a link. */
  public Outcome startConnecting(URI address, LinkOptions options) {
    Outcome outcome = new Outcome();
    client.connect(address, options, outcome);
    if (outcome.isKnown()) {
      throw new AssertionError("the outcome was told before connect returned");
    }
    return outcome;
  }

  /** Polls each driver once, and flushes each link, as loops do. */
  public int step() {
    int done = client.poll() + server.poll() + (elsewhere == null ? 0 : elsewhere.poll());
    opened.forEach(SteppedLinks::flush);
    accepted.forEach(SteppedLinks::flush);
    return done;
  }

  private static void flush(LinkEnd end) {
    if (!end.heard().isClosed()) {
      end.link().flush();
    }
  }

  /** Polls both drivers until something is so; fails if that takes too long. */
  public void stepUntil(String what, BooleanSupplier condition) {
    stepUntil(what, condition, this::step);
  }

  /** Polls only the client's driver until something is so. */
  public void stepClientUntil(String what, BooleanSupplier condition) {
    stepUntil(what, condition, client::poll);
  }

  private void stepUntil(String what, BooleanSupplier condition, Runnable step) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long linksDeadline = harness.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0 || harness.nanoTime() - linksDeadline > 0) {
        throw new AssertionError("waited in vain for " + what);
      }
      step.run();
    }
  }

  /** Polls both drivers until nothing has happened for a while. */
  public void settle() {
    int idle = 0;
    while (idle < idleSteps) {
      idle = step() == 0 ? idle + 1 : 0;
      Thread.onSpinWait();
    }
  }

  /** Closes both drivers; fails the test if a link told anything after its end. */
  @Override
  public void close() {
    client.close();
    server.close();
    if (elsewhere != null) {
      elsewhere.close();
    }
    List<LinkEnd> ends = new ArrayList<>(opened);
    ends.addAll(accepted);
    for (LinkEnd end : ends) {
      if (!end.heard().isClosed()) {
        throw new AssertionError("a link to " + end.link().peerAddress() + " outlived its driver");
      }
      if (!end.heard().breaches().isEmpty()) {
        throw new AssertionError("told after the end: " + end.heard().breaches());
      }
    }
  }

  /**
   * Both ends of one link.
   *
   * @param client the end that connected
   * @param server the end that was accepted
   */
  public record Pair(LinkEnd client, LinkEnd server) {}

  /** The outcome of a connection attempt. */
  public final class Outcome implements LinkDriver.ConnectHandler {
    private @Nullable LinkEnd end;
    private @Nullable LinkException failure;

    @Override
    public LinkListener onConnected(Link link) {
      failIfKnown();
      RecordingListener heard = new RecordingListener();
      end = new LinkEnd(link, heard);
      opened.add(end);
      return heard;
    }

    @Override
    public void onFailed(LinkException failure) {
      failIfKnown();
      this.failure = failure;
    }

    private void failIfKnown() {
      if (isKnown()) {
        throw new AssertionError("the outcome was told twice");
      }
    }

    /** Returns whether it is known yet. */
    public boolean isKnown() {
      return end != null || failure != null;
    }

    /** Returns the link; fails the test if there is none. */
    public LinkEnd end() {
      if (end == null) {
        throw new AssertionError("no link", failure);
      }
      return end;
    }

    /** Returns why there is no link; fails the test if there is one. */
    public LinkException failure() {
      if (failure == null) {
        throw new AssertionError("a link was opened");
      }
      return failure;
    }
  }
}
