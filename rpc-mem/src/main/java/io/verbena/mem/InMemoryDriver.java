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

/** Steps the in-memory links of one event loop, in the order they were opened. */
final class InMemoryDriver implements LinkDriver {
  private final InMemoryNetwork network;
  private final Runnable wakeLoop;
  private final ConcurrentLinkedQueue<Runnable> mail = new ConcurrentLinkedQueue<>();
  private final List<InMemoryLink> links = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<InMemoryListening> listenings = new ArrayList<>();
  private boolean someClosed;

  /** There may be something to do that the last {@link #poll} has not seen. */
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

  /** Says that there is something to poll. Safe for any thread. */
  void signal() {
    if (!signalled) {
      signalled = true;
      wakeLoop.run();
    }
  }

  /** Has the loop run something. Safe for any thread. */
  void post(Runnable letter) {
    mail.add(letter);
    signal();
  }

  @Override
  public void connect(URI address, LinkOptions options, ConnectHandler handler) {
    Attempt attempt = new Attempt(this, address, options, handler, network.clock().nanoTime());
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
    InMemoryListening listening =
        network.listen(this, InMemoryNetwork.nameOf(address), options, handler);
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

  /** Safe for any thread. */
  boolean isClosed() {
    return closed;
  }

  void left(InMemoryLink link) {
    links.remove(link);
  }

  void ended(Attempt attempt) {
    attempts.remove(attempt);
  }

  void ended(InMemoryListening listening) {
    listenings.remove(listening);
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
}
