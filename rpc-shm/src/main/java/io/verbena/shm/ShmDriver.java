package io.verbena.shm;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LocalSockets;
import io.verbena.link.Secret;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps the shared-memory links of one event loop. */
final class ShmDriver implements UpgradeDriver {
  private static final Logger LOG = LoggerFactory.getLogger(ShmDriver.class);

  /** An idle loop steps openings this often. */
  private static final long OPENING_NANOS = Duration.ofMillis(1).toNanos();

  /** An idle loop checks the time limits of offers this often. */
  private static final long OFFERED_NANOS = Duration.ofMillis(100).toNanos();

  private final LinkFiles place;
  private final NanoClock clock;
  private final HostAddresses addresses;
  private final SecureRandom random = new SecureRandom();

  /**
   * The memory outside the heap for sockets and listeners. It is not direct memory, which others
   * may have used up: the JVM would block the loop for half a second before it failed.
   */
  private final Arena memory = Arena.ofShared();

  private final WakeupSockets sockets;
  private final ShmAcceptor acceptor;
  private final Links links;
  private final List<ActiveOpening> attempts = new ArrayList<>();

  /** A link may be about to open; openings are stepped only then. */
  private boolean opening;

  private boolean sleeps;
  private boolean closed;

  ShmDriver(
      LinkFiles place,
      ShmSettings settings,
      NanoClock clock,
      HostAddresses addresses,
      ShmCounters counters,
      LocalSockets sockets) {
    this.place = place;
    this.clock = clock;
    this.addresses = addresses;
    this.sockets = new WakeupSockets(memory, sockets, counters);
    this.links = new Links(place, this.sockets, new Inbound(memory), counters);
    this.acceptor = new ShmAcceptor(links, place, settings.ringBytes(), this.sockets, random);
  }

  @Override
  public boolean isInUse() {
    return !links.isEmpty();
  }

  @Override
  public boolean mayChangeThread() {
    return !opening && !sockets.mayHaveConnected() && !closed;
  }

  @Override
  public int poll(long now) {
    try {
      return closed ? 0 : step(now);
    } catch (InternalError e) {
      return endTruncated(e);
    }
  }

  /** The files are looked at, and an interrupt of the calling thread would close them. */
  private int endTruncated(InternalError why) {
    boolean interrupted = Thread.interrupted();
    try {
      return links.endTruncated(why);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private int step(long now) {
    if (sleeps) {
      sleeps = false;
      links.wake();
    }
    if (opening || !links.isEmpty()) {
      sockets.look();
    }
    int work = links.poll();
    if (opening || sockets.mayHaveConnected()) {
      work += open(now);
    }
    links.letGo();
    return work;
  }

  private int open(long now) {
    sockets.listenAgain(now);
    int work = acceptor.step(now);
    for (int i = 0; i < attempts.size(); i++) {
      work += attempts.get(i).step(now);
    }
    attempts.removeIf(Opening::isKnown);
    opening = !attempts.isEmpty() || acceptor.isOpening() || acceptor.hasOffers();
    return work;
  }

  @Override
  public boolean armWakeup(long now) {
    try {
      return closed || arm(now);
    } catch (InternalError e) {
      return endTruncated(e) < 0;
    }
  }

  private boolean arm(long now) {
    sleeps = true;
    links.sleep();
    VarHandle.fullFence(); // records written before are seen below, and later ones wake
    if (links.haveWork()) {
      return false;
    }
    if (!opening && !sockets.mayHaveConnected()) {
      return links.isEmpty() || sockets.arm(0);
    }
    if (open(now) > 0) {
      return false;
    }
    boolean soon = !attempts.isEmpty() || acceptor.isOpening();
    return sockets.arm(soon ? OPENING_NANOS : OFFERED_NANOS);
  }

  @Override
  public byte[] request(URI peer, LinkOptions options) throws LinkException {
    String outOfReach = addresses.outOfReach(peer);
    if (!outOfReach.isEmpty()) {
      throw new LinkException(outOfReach, null);
    }
    if (!options.beside().isEmpty()) {
      throw new LinkException("one shared-memory link is as good as several", null);
    }
    return ShmOffer.request();
  }

  @Override
  public byte[] offer(
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    ShmOffer.requireVersion(request);
    if (closed) {
      throw isClosed();
    }
    byte[] offer = acceptor.offer(options, handler, clock.nanoTime());
    opening = true;
    return offer;
  }

  @Override
  public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
    if (closed) {
      handler.onFailed(isClosed());
      return;
    }
    opening = true;
    Secret nonce = Secret.random(random);
    attempts.add(new ActiveOpening(links, place, offer, nonce, options, handler, clock.nanoTime()));
  }

  private static LinkException isClosed() {
    return new LinkException("the driver of the shared-memory links is closed", null);
  }

  /** Waits for nothing: sent records are in memory that peers have mapped, too. */
  @Override
  public void close(Runnable meanwhile) {
    if (closed) {
      return;
    }
    LinkException why = new LinkException("no shared-memory link: the driver was closed", null);
    List.copyOf(attempts).forEach(attempt -> attempt.fail(why));
    attempts.clear();
    acceptor.abandon();
    links.close();
    closed = true;
    try (memory) { // is closed last, whatever the sockets throw
      sockets.close();
    } catch (IOException e) {
      LOG.warn("The sockets of shared-memory links cannot be closed: {}", Thrown.reason(e));
    }
  }
}
