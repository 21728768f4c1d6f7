package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.UnderDisni;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A network of hosts with verbs devices, wholly in memory. Each host is a provider, and one program
 * in one JVM runs all of them. The seed decides everything that the verbs specification leaves
 * open.
 *
 * <p>Two ways to run it:
 *
 * <ul>
 *   <li><b>Stepped</b>: all events happen in {@link #step()}. Time is virtual, no call blocks
 *       (waits return at once, with nothing), and one seed gives one run. For use by one thread.
 *   <li><b>Threaded</b>: a daemon thread steps the fabric in real time, and waits block as on a
 *       real device.
 * </ul>
 *
 * <p>All objects are safe for use by any thread, under one lock. One JVM can have many independent
 * fabrics.
 */
public final class Fabric implements AutoCloseable {
  final Object lock = new Object();
  final SplittableRandom random;
  final Temper temper;
  final ConnectionManager connections = new ConnectionManager(this);
  private final long seed;
  private final Schedule schedule = new Schedule();
  private final @Nullable LongSupplier clock;
  private final LongConsumer pause;
  private final boolean threaded;
  private final List<FabricHost> hosts = new ArrayList<>();
  private final Map<HostPair, FabricLink> links = new HashMap<>();
  private final List<FabricWaitSet> telling = new ArrayList<>();
  private long virtualNanos;
  private boolean closed;
  private boolean routed = true;
  private int numbers = 1;

  private record HostPair(FabricHost one, FabricHost other) {}

  private Fabric(long seed, @Nullable LongSupplier clock, LongConsumer pause, boolean threaded) {
    UnderDisni.ensure();
    this.seed = seed;
    this.clock = clock;
    this.pause = pause;
    this.threaded = threaded;
    random = new SplittableRandom(seed);
    temper = Temper.draw(random);
  }

  /** Makes a stepped fabric with its own clock. Each step moves the clock to its event. */
  public static Fabric stepped(long seed) {
    return new Fabric(seed, null, nanos -> {}, false);
  }

  /**
   * Makes a stepped fabric on a clock that a simulation shares. A step runs only events that are
   * due.
   *
   * @param clock the time in nanoseconds, which never goes back
   */
  public static Fabric stepped(long seed, LongSupplier clock) {
    return stepped(seed, clock, nanos -> {});
  }

  /**
   * Makes a stepped fabric on a shared clock, on which threads of the simulation also wait.
   *
   * @param pause waits on the clock for at most a time in nanoseconds. A thread in a {@link
   *     io.verbena.verbs.ext.WaitSet} calls it before it checks for ready channels, without the
   *     fabric's lock
   */
  public static Fabric stepped(long seed, LongSupplier clock, LongConsumer pause) {
    return new Fabric(seed, clock, pause, false);
  }

  /** Makes a fabric that a daemon thread runs in real time until it is closed. */
  @SuppressWarnings("SystemNanoTime") // the only use of real time
  public static Fabric threaded(long seed) {
    Fabric fabric = new Fabric(seed, System::nanoTime, nanos -> {}, true);
    Thread thread = new Thread(fabric::runUntilClosed, "verbs-fabric-" + seed);
    thread.setDaemon(true);
    thread.start();
    return fabric;
  }

  /** Returns the seed and the temper drawn from it, for the message of a failing test. */
  @Override
  public String toString() {
    return "fabric of seed " + seed + ": " + temper;
  }

  /** Adds a host with a {@linkplain DeviceProfile#full full} device. */
  public FabricHost addHost(String name, InetAddress... addresses) {
    return addHost(name, DeviceProfile.full(), addresses);
  }

  /**
   * Adds a host with one device.
   *
   * @param addresses the device's addresses, which no other live host uses
   */
  public FabricHost addHost(String name, DeviceProfile profile, InetAddress... addresses) {
    synchronized (lock) {
      requireFree(addresses);
      FabricHost host = new FabricHost(this, name, profile, List.of(addresses));
      hosts.add(host);
      return host;
    }
  }

  /**
   * Runs the next event. A fabric with its own clock first moves the clock to the event.
   *
   * @return false if no event is pending, or none is due on a shared clock
   */
  public boolean step() {
    synchronized (lock) {
      long due = schedule.nextDue();
      if (due == Long.MAX_VALUE || (clock != null && due > clock.getAsLong())) {
        return false;
      }
      virtualNanos = Math.max(virtualNanos, due);
      runNext();
      return true;
    }
  }

  /** Returns the due time of the next event on the fabric's clock; Long.MAX_VALUE for none. */
  public long nextEventNanos() {
    synchronized (lock) {
      return schedule.nextDue();
    }
  }

  public long nanoTime() {
    return clock == null ? virtualNanos : clock.getAsLong();
  }

  /** Cuts the link between two hosts in both directions, until it is healed. */
  public void cut(FabricHost one, FabricHost other) {
    synchronized (lock) {
      link(one, other).cut = true;
    }
  }

  public void heal(FabricHost one, FabricHost other) {
    synchronized (lock) {
      link(one, other).cut = false;
    }
  }

  /** Removes the routers. From now on hosts resolve only addresses in their own networks. */
  public void separateNetworks() {
    synchronized (lock) {
      routed = false;
    }
  }

  /** Delays every message between two hosts from now on. */
  public void delay(FabricHost one, FabricHost other, long nanos) {
    synchronized (lock) {
      link(one, other).delayNanos = nanos;
    }
  }

  /** Ends the thread of a threaded fabric. Waiting calls return. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
  }

  // The methods below are called under the lock.

  void at(long due, Timer timer) {
    schedule.at(due, timer);
    if (threaded) {
      lock.notifyAll();
    }
  }

  void after(long delayNanos, Runnable action) {
    at(nanoTime() + delayNanos, new Timer(action));
  }

  void cancel(Timer timer) {
    schedule.cancel(timer);
  }

  /** Returns the time of a message, which is mostly ordinary and sometimes long. */
  long latency() {
    if (temper.synchronous()) {
      return 0;
    }
    long nanos = 200 + random.nextLong(temper.latencyNanos());
    return random.nextInt(32) == 0 ? nanos * 20 : nanos;
  }

  int batch() {
    return 1 + random.nextInt(temper.batch());
  }

  /** Returns whether a READ copies its data late. READs are in no order without a fence. */
  boolean readsLate() {
    return temper.lateReads() && random.nextBoolean();
  }

  int number() {
    return numbers++;
  }

  int depth(int asked) {
    return temper.exactQueues() ? asked : Integer.highestOneBit(Math.max(1, asked * 2 - 1));
  }

  void requireFree(InetAddress... addresses) {
    for (InetAddress address : addresses) {
      if (hostAt(address) != null) {
        throw new IllegalArgumentException("Another host has the address " + address);
      }
    }
  }

  @Nullable FabricHost hostAt(InetAddress address) {
    for (FabricHost host : hosts) {
      if (host.powered && host.addresses().contains(address)) {
        return host;
      }
    }
    return null;
  }

  /** Returns the length of the network prefix of an address, which has the usual value. */
  static int networkBits(InetAddress address) {
    return address.getAddress().length == 4 ? 24 : 64;
  }

  /** Returns whether packets between two addresses need no router. */
  static boolean shareNetwork(InetAddress one, InetAddress other) {
    byte[] ones = one.getAddress();
    byte[] others = other.getAddress();
    int length = networkBits(one) / Byte.SIZE;
    return ones.length == others.length && Arrays.equals(ones, 0, length, others, 0, length);
  }

  /** Returns whether packets from one address reach another. */
  boolean reaches(InetAddress from, InetAddress to) {
    return routed || shareNetwork(from, to);
  }

  FabricLink link(FabricHost one, FabricHost other) {
    HostPair pair =
        hosts.indexOf(one) <= hosts.indexOf(other)
            ? new HostPair(one, other)
            : new HostPair(other, one);
    return links.computeIfAbsent(pair, key -> new FabricLink(key.one(), key.other()));
  }

  /** Wakes blocked waits, because something may be ready. */
  void wakeWaiters() {
    if (threaded) {
      lock.notifyAll();
    } else if (!telling.isEmpty()) {
      List.copyOf(telling).forEach(FabricWaitSet::look);
    }
  }

  /** Waits on the simulation's clock. Not called under the lock. */
  void pause(long nanos) {
    pause.accept(nanos);
  }

  /** Returns whether the fabric is stepped on a shared clock. */
  boolean isSimulated() {
    return !threaded && clock != null;
  }

  /** Registers a wait set, which then checks its channels whenever something may be ready. */
  void telling(FabricWaitSet set) {
    if (!telling.contains(set)) {
      telling.add(set);
    }
  }

  void stopNotifying(FabricWaitSet set) {
    telling.remove(set);
  }

  /**
   * Waits until the condition holds in a threaded fabric. Checks it once in a stepped fabric.
   *
   * @param timeoutNanos negative for no limit
   */
  boolean await(long timeoutNanos, Condition condition) throws java.io.IOException {
    if (condition.holds() || !threaded) {
      return condition.holds();
    }
    long deadline = timeoutNanos < 0 ? Long.MAX_VALUE : nanoTime() + timeoutNanos;
    while (!condition.holds()) {
      long left = timeoutNanos < 0 ? 1_000_000_000L : deadline - nanoTime();
      if (left <= 0 || closed) {
        return false;
      }
      sleep(left);
    }
    return true;
  }

  /** A condition, which throws if its object was closed meanwhile. */
  interface Condition {
    boolean holds() throws java.io.IOException;
  }

  private void sleep(long nanos) throws java.io.InterruptedIOException {
    try {
      waitOnLock(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new java.io.InterruptedIOException("interrupted while waiting for a verbs event");
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the callers loop
  private void waitOnLock(long nanos) throws InterruptedException {
    lock.wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
  }

  private void runNext() {
    Timer next = schedule.poll();
    if (next != null) {
      next.action.run();
    }
  }

  private void runUntilClosed() {
    synchronized (lock) {
      while (!closed) {
        long wait = schedule.nextDue() == Long.MAX_VALUE ? 1_000_000_000L : untilNext();
        if (wait <= 0) {
          runNext();
        } else {
          try {
            waitOnLock(wait);
          } catch (InterruptedException e) {
            return; // only the end of the JVM interrupts this thread
          }
        }
      }
    }
  }

  private long untilNext() {
    return schedule.nextDue() - nanoTime();
  }
}
