package io.verbena.mem;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Steps the in-memory links of one event loop, in the order in which they were opened. */
final class InMemoryDriver implements LinkDriver {
  final InMemoryNetwork network;
  private final Runnable wakeLoop;
  private final ConcurrentLinkedQueue<Runnable> mail = new ConcurrentLinkedQueue<>();
  private final List<InMemoryLink> links = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Named> listenings = new ArrayList<>();
  private boolean someClosed;

  /** There may be work that the last {@link #poll} has not seen. */
  private volatile boolean signalled;

  private volatile boolean woken;
  private volatile boolean closed;
  private volatile @Nullable Thread parked;

  InMemoryDriver(InMemoryNetwork network, Runnable wakeLoop) {
    this.network = network;
    this.wakeLoop = wakeLoop;
  }

  @Override
  public int poll() {
    int work = signalled ? pollLinks() : 0;
    if (!attempts.isEmpty()) {
      work += expireAttempts();
    }
    if (someClosed) {
      someClosed = false;
      links.removeIf(InMemoryLink::isClosed);
    }
    return work;
  }

  private int pollLinks() {
    signalled = false;
    int work = readMail();
    for (int i = 0; i < links.size(); i++) {
      work += links.get(i).poll();
    }
    return work;
  }

  private int readMail() {
    int read = 0;
    Runnable letter;
    while ((letter = mail.poll()) != null) {
      letter.run();
      read++;
    }
    return read;
  }

  @Override
  public int await(long nanos) {
    parked = Thread.currentThread();
    long wait = Math.min(nanos, nanosToNextExpiry());
    if (!signalled && !woken && wait > 0) {
      network.park(wait);
    }
    parked = null;
    woken = false;
    return poll();
  }

  @Override
  public void wakeup() {
    woken = true;
    Thread thread = parked;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public boolean mayChangeThread() {
    return attempts.isEmpty() && listenings.isEmpty() && !closed;
  }

  /** Notes that there is work for {@link #poll}. Safe for use by any thread. */
  void signal() {
    if (!signalled) {
      signalled = true;
      wakeLoop.run();
    }
  }

  /** Runs a task on the loop. Safe for use by any thread. */
  void post(Runnable letter) {
    mail.add(letter);
    signal();
  }

  @Override
  public void connect(URI address, LinkOptions options, ConnectHandler handler) {
    Attempt attempt = new Attempt(address, options, handler);
    attempts.add(attempt);
    try {
      requireNoTls(options);
      network.connect(this, InMemoryNetwork.nameOf(address), attempt);
    } catch (LinkException e) {
      post(() -> attempt.fail(e));
    }
  }

  @Override
  public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
      throws LinkException {
    requireNoTls(options);
    String name = InMemoryNetwork.nameOf(address);
    Named listening = network.listen(name, free -> new Named(free, options, handler));
    listenings.add(listening);
    return listening;
  }

  private static void requireNoTls(LinkOptions options) throws LinkException {
    if (options.tls() != null) {
      throw new LinkException(
          "mem:// links have no TLS, as their frames never leave the process; use no TLS options"
              + " with them",
          null);
    }
  }

  void opened(InMemoryLink link) {
    links.add(link);
    signal();
  }

  /** Returns whether the driver is closed. Safe for use by any thread. */
  boolean isClosed() {
    return closed;
  }

  void left(InMemoryLink link) {
    links.remove(link);
  }

  void linkClosed() {
    someClosed = true;
  }

  private int expireAttempts() {
    long now = network.clock().nanoTime();
    int expired = 0;
    for (Attempt attempt : List.copyOf(attempts)) {
      if (attempt.nanosLeft(now) <= 0) {
        attempt.timedOut();
        expired++;
      }
    }
    return expired;
  }

  private long nanosToNextExpiry() {
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < attempts.size(); i++) {
      soonest = Math.min(soonest, attempts.get(i).nanosLeft(network.clock().nanoTime()));
    }
    return soonest;
  }

  @Override
  public void close() {
    closed = true;
    List.copyOf(listenings).forEach(Listening::close);
    List.copyOf(attempts).forEach(Attempt::abandon);
    readMail();
    List.copyOf(links).forEach(InMemoryLink::close);
  }

  /** A connection attempt under way, on the client's loop. */
  final class Attempt {
    private final URI address;
    private final LinkOptions options;
    private final ConnectHandler handler;
    private final long deadlineNanos;
    private @Nullable Circuit circuit;
    private boolean over;

    Attempt(URI address, LinkOptions options, ConnectHandler handler) {
      this.address = address;
      this.options = options;
      this.handler = handler;
      this.deadlineNanos = network.clock().nanoTime() + options.connectTimeout().toNanos();
    }

    void over(Circuit circuit) {
      this.circuit = circuit;
    }

    long nanosLeft(long nowNanos) {
      return deadlineNanos - nowNanos;
    }

    /** The server has accepted it. */
    void connected(Circuit circuit) {
      InMemoryLink link = new InMemoryLink(circuit, true, options.maxFrameBytes());
      if (over) {
        link.open(InMemoryLink.NOBODY);
        link.close();
        return;
      }
      end();
      opened(link);
      link.open(handler::onConnected);
    }

    /** Fails the attempt, unless the server has just accepted it. */
    void timedOut() {
      if (!withdraw()) {
        return;
      }
      fail(
          new LinkException(
              address
                  + " did not answer within "
                  + options.connectTimeout().toMillis()
                  + " ms: its event loop does not run, or is held up",
              null));
    }

    /** Fails the attempt because the loop ends, and closes a link that comes of it later. */
    void abandon() {
      withdraw();
      fail(new LinkException("the event loop was closed while connecting to " + address, null));
    }

    /** Returns whether the server has not accepted the attempt, and cannot any more. */
    private boolean withdraw() {
      if (circuit == null) {
        return true;
      }
      if (!circuit.settle()) {
        return false;
      }
      circuit.forget();
      return true;
    }

    void fail(LinkException failure) {
      if (!over) {
        end();
        handler.onFailed(failure);
      }
    }

    private void end() {
      over = true;
      attempts.remove(this);
    }
  }

  /** A name at which one event loop listens. */
  final class Named implements Listening {
    private final String name;
    private final LinkOptions options;
    private final AcceptHandler handler;
    private boolean over;

    Named(String name, LinkOptions options, AcceptHandler handler) {
      this.name = name;
      this.options = options;
      this.handler = handler;
    }

    InMemoryDriver driver() {
      return InMemoryDriver.this;
    }

    @Override
    public URI address() {
      return URI.create(name);
    }

    void accept(Circuit circuit, Attempt attempt) {
      if (!circuit.settle()) {
        return;
      }
      if (over) {
        circuit.forget();
        LinkException failure = new LinkException(name + " has stopped listening", null);
        circuit.client.post(() -> attempt.fail(failure));
        return;
      }
      InMemoryLink link = new InMemoryLink(circuit, false, options.maxFrameBytes());
      opened(link);
      link.open(handler::onAccepted);
      circuit.client.post(() -> attempt.connected(circuit));
    }

    @Override
    public void close() {
      if (!over) {
        over = true;
        network.ended(name, this);
        listenings.remove(this);
      }
    }
  }
}
