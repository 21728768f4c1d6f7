package io.verbena.rdma.cm;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.rdma.DeviceAddresses;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.PinBudget;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.Registrations;
import io.verbena.rdma.link.LinkContext;
import io.verbena.rdma.link.RdmaLink;
import io.verbena.rdma.wire.UpgradeRequest;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps the RDMA links of one event loop.
 *
 * <pre>
 *   poll:  connection manager's events → devices' events → completions → links that are due
 *          → time limits
 * </pre>
 *
 * <p>Most cycles only poll completions. Other work is due by time, not before {@link #due}; or
 * another thread {@linkplain #asked asks} for it; or connections are being made or ended.
 */
public final class RdmaDriver implements UpgradeDriver {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaDriver.class);
  private static final ThrottledLog UNREADABLE =
      ThrottledLog.of(RdmaDriver.class, "events of connection managers that could not be read");

  /**
   * A look at the event channel is a system call. It happens in every cycle while a connection is
   * being made or ended, and otherwise this often. While the loop is idle, the waiter watches the
   * channel.
   */
  private static final long EVENTS_EVERY_NANOS = Duration.ofMillis(50).toNanos();

  /** The time for links to say farewell when the driver closes. */
  private static final long LINGER_NANOS = Duration.ofSeconds(3).toNanos();

  /** An idle loop checks the time limits of connections this often. */
  private static final long LIMITS_EVERY_NANOS = Duration.ofMillis(10).toNanos();

  /** About the longest time that freed or revoked memory may stay pinned. */
  private static final long MEMORY_EVERY_NANOS = Duration.ofMillis(500).toNanos();

  /**
   * About the longest time that an idle loop may keep a removed device open. A device without an id
   * gets no removal event, and the kernel may wait for it to be closed.
   */
  private static final long REMOVALS_EVERY_NANOS = Duration.ofMillis(900).toNanos();

  private static final long LINGER_STEP_NANOS = Duration.ofMillis(1).toNanos();

  private final VerbsProvider provider;
  private final DeviceAddresses addresses;
  private final LinkContext context;
  private final CmEvents events;
  private final ChannelWaiter waiter;
  private final PinBudget budget;

  /** Makes the loop look around, for other threads; wakes it if it waits. */
  private final Runnable call;

  private final Registrations memory;
  private final LoopDevices devices;
  private final Connections connections;
  private final RdmaAcceptor acceptor;
  private final CandidateOrder order = new CandidateOrder();
  private final List<ActiveConnect> attempts = new ArrayList<>();
  private long eventsSeen;
  private long deviceEventsSeen;
  private long memorySeen;

  /** No work is due by time before this. */
  private long due;

  /** Another thread may have work for the loop; set by that thread. */
  private volatile boolean asked;

  /** Connections may be in progress. They are looked at only then, to keep other cycles short. */
  private boolean opening;

  private boolean closed;

  /** Opens the event channel. Everything else is made when it is first needed. */
  public RdmaDriver(
      VerbsProvider provider,
      DeviceAddresses addresses,
      RdmaSettings settings,
      NanoClock clock,
      RdmaCounters counters,
      PinBudget budget,
      Runnable wakeLoop)
      throws IOException {
    this.provider = provider;
    this.addresses = addresses;
    long now = clock.nanoTime();
    this.context = new LinkContext(clock, settings, counters);
    this.events = new CmEvents(provider);
    this.call =
        () -> {
          asked = true;
          wakeLoop.run();
        };
    this.waiter = new ChannelWaiter(provider, call);
    this.budget = budget;
    this.memory = new Registrations(budget, counters);
    this.devices =
        new LoopDevices(settings, memory, counters, device -> waiter.add(device.channel()));
    this.connections = new Connections(context, events, devices);
    this.acceptor = new RdmaAcceptor(connections, addresses);
    this.eventsSeen = now;
    this.deviceEventsSeen = now;
    this.memorySeen = now;
    this.due = now;
    waiter.add(events.channel());
    budget.join(call);
  }

  @Override
  public boolean isInUse() {
    return !connections.isEmpty();
  }

  /** Not while a device may be opened, which binds the loop's own thread to the device's node. */
  @Override
  public boolean mayChangeThread() {
    return !opening && !context.someEnd() && !closed;
  }

  @Override
  public int poll(long now) {
    if (closed) {
      return 0;
    }
    boolean soon = opening || context.someEnd();
    int work = soon || asked || now - due >= 0 ? lookAround(now, soon) : 0;
    work += pollDevices();
    work += context.step(now);
    if (opening) {
      work += acceptor.expire(now);
      work += stepAttempts(now);
      opening = !attempts.isEmpty() || !acceptor.isIdle();
    }
    return work;
  }

  private int pollDevices() {
    int work = 0;
    for (RdmaDevice device : devices.open) {
      if (!device.isLost()) {
        try {
          work += device.poll();
        } catch (Throwable e) { // from the provider; it ends only this device's links
          device.giveUp(RdmaFailureText.of(e));
          work++;
        }
      } else {
        device.noticeRemoval();
        if (!device.isInUse()) {
          devices.forget(device);
        }
      }
    }
    return work;
  }

  /** Does everything except completions and links, as far as it is due. */
  private int lookAround(long now, boolean soon) {
    asked = false; // requests from now on are handled in the next cycle
    memory.hearCalls();
    if (now - memorySeen >= MEMORY_EVERY_NANOS) {
      memorySeen = now;
      memory.sweep();
      devices.retry();
    }
    int work = 0;
    if (waiter.takeReady() || soon || now - eventsSeen >= EVENTS_EVERY_NANOS) {
      work += pollEvents(now);
    }
    if (now - deviceEventsSeen >= EVENTS_EVERY_NANOS) {
      deviceEventsSeen = now;
      devices.pollEvents();
    }
    long memoryIn = memorySeen - now + MEMORY_EVERY_NANOS;
    long eventsIn = Math.min(eventsSeen - now, deviceEventsSeen - now) + EVENTS_EVERY_NANOS;
    due = now + Math.min(memoryIn, eventsIn);
    return work;
  }

  private int pollEvents(long now) {
    eventsSeen = now;
    try {
      return events.poll();
    } catch (IOException e) {
      UNREADABLE.error("The events of {} cannot be read", "the connection manager", e);
      return 0;
    }
  }

  private int stepAttempts(long now) {
    int work = 0;
    for (ActiveConnect attempt : List.copyOf(attempts)) {
      work += attempt.step(now);
    }
    attempts.removeIf(ActiveConnect::isKnown);
    return work;
  }

  @Override
  public boolean armWakeup(long now) {
    if (closed) {
      return true;
    }
    // Completions from before the arming are not announced, so look once more.
    if (!devices.arm() || poll(now) > 0 || !context.nobodyIsReady()) {
      return false;
    }
    return waiter.arm(longestWait());
  }

  private long longestWait() {
    if (opening || context.someWatchTime()) {
      return LIMITS_EVERY_NANOS;
    }
    if (memory.isWatchful()) {
      return MEMORY_EVERY_NANOS;
    }
    return devices.someOpen() ? REMOVALS_EVERY_NANOS : Long.MAX_VALUE;
  }

  @Override
  public byte[] request(URI peer, LinkOptions options) throws LinkException {
    if (!options.beside().isEmpty()) {
      try {
        if (DeviceAddresses.beside(addresses.now(), RdmaAddress.of(options.beside())).isEmpty()) {
          throw new LinkException("there is no further verbs device here", null);
        }
      } catch (IOException e) {
        throw new LinkException("the verbs devices cannot be queried: " + e.getMessage(), e);
      }
    }
    return UpgradeRequest.encode();
  }

  @Override
  public byte[] offer(
      byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    if (closed) {
      throw new LinkException("the driver of the RDMA links is closed", null);
    }
    opening = true;
    return acceptor.offer(request, localAddress, options, handler);
  }

  @Override
  public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
    opening = true;
    attempts.add(new ActiveConnect(connections, addresses, order, options, handler, offer));
  }

  @Override
  public void close(Runnable meanwhile) {
    if (closed) {
      return;
    }
    budget.leave(call);
    waiter.close();
    acceptor.close();
    attempts.forEach(attempt -> attempt.abandon("the driver was closed"));
    attempts.clear();
    for (RdmaLink link : connections.all()) {
      link.close();
    }
    linger(meanwhile);
    for (RdmaLink link : connections.all()) {
      link.abort("the driver was closed");
      link.finish();
    }
    closed = true;
    devices.close();
    try {
      events.close();
    } catch (IOException e) {
      LOG.warn("The event channel cannot be destroyed: {}", e.getMessage());
    }
  }

  /**
   * Waits for farewells to arrive, which takes a round trip, but no longer than {@link
   * #LINGER_NANOS} if a peer's device does not answer. Queue pairs may still receive then, but
   * nothing reads that. The number of pauses is bounded too, because a test's clock may stand
   * still.
   */
  private void linger(Runnable meanwhile) {
    long end = context.clock().nanoTime() + LINGER_NANOS;
    long pauses = LINGER_NANOS / LINGER_STEP_NANOS;
    try (WaitSet pause = provider.newWaitSet()) {
      long now;
      while (connections.someSend() && pauses > 0 && (now = context.clock().nanoTime()) - end < 0) {
        meanwhile.run();
        if (poll(now) == 0) {
          pause.await(LINGER_STEP_NANOS);
          pauses--;
        }
      }
    } catch (Throwable e) { // from the provider: the fault that ended the driver may recur here
      LOG.debug("Links are closed without waiting for their peers: {}", RdmaFailureText.of(e));
    }
  }
}
