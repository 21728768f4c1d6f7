package io.verbena.mem;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * A network within a process, with names {@code mem://NAME}, and with faults for tests. Networks
 * are independent of each other. Safe for use by any thread; each driver that it makes belongs to
 * one thread.
 *
 * <p>A network adds no thread, and uses no clock but its own. If one thread steps all its drivers,
 * equal steps have equal results.
 */
public final class InMemoryNetwork implements LinkProvider {
  static final String SCHEME = "mem";

  /**
   * The default number of frames in each direction that a link holds until its reader takes them.
   */
  public static final int DEFAULT_RING_FRAMES = 256;

  /** The default length of a bulk write, in bytes. */
  public static final int DEFAULT_CHUNK_BYTES = 64 << 10;

  private final NanoClock clock;
  private final int ringFrames;
  private final int chunkBytes;
  private final LongConsumer wait;
  private final Map<String, InMemoryDriver.Named> listenings = new HashMap<>();
  private final Map<String, Admission> admissions = new HashMap<>();
  private final Set<Circuit> circuits = new LinkedHashSet<>();
  private long lastId;
  private volatile boolean landsOnHeap;

  /** The result of connection attempts. */
  public enum Admission {
    /** Attempts reach the listener. */
    ACCEPT,
    /** Attempts fail at once, for a reason that does not show whether there is a listener. */
    REFUSE,
    /** Attempts fail at once because there is no listener, as after the end of a process. */
    NOBODY_LISTENS,
    /** Attempts get no answer, so they time out. */
    IGNORE
  }

  /** Makes a network on the machine's clock. */
  public InMemoryNetwork() {
    this(NanoClock.SYSTEM, DEFAULT_RING_FRAMES);
  }

  /**
   * Makes a network.
   *
   * @param clock bounds connection attempts
   * @param ringFrames frames in each direction that a link holds before it pushes back; at least 1
   */
  public InMemoryNetwork(NanoClock clock, int ringFrames) {
    this(clock, ringFrames, DEFAULT_CHUNK_BYTES);
  }

  /**
   * Makes a network.
   *
   * @param clock bounds connection attempts
   * @param ringFrames frames and bulk writes in each direction that a link holds before it pushes
   *     back; at least 1
   * @param chunkBytes the preferred length of a bulk write; a power of two
   */
  public InMemoryNetwork(NanoClock clock, int ringFrames, int chunkBytes) {
    this(clock, ringFrames, chunkBytes, LockSupport::parkNanos);
  }

  /**
   * Makes a network with a custom wait for idle drivers.
   *
   * @param wait called by a driver's thread with the longest time, in nanoseconds. It may return
   *     early, and does when that thread is unparked
   */
  public InMemoryNetwork(NanoClock clock, int ringFrames, int chunkBytes, LongConsumer wait) {
    if (ringFrames < 1) {
      throw new IllegalArgumentException("a ring has at least 1 frame, not " + ringFrames);
    }
    if (Integer.bitCount(chunkBytes) != 1) {
      throw new IllegalArgumentException("a chunk is a power of two, not " + chunkBytes);
    }
    this.clock = clock;
    this.ringFrames = ringFrames;
    this.chunkBytes = chunkBytes;
    this.wait = wait;
  }

  /**
   * Lets bulk bytes land in memory on the heap, too, as TCP does. A device could not write there.
   */
  public InMemoryNetwork landOnHeap() {
    landsOnHeap = true;
    return this;
  }

  boolean landsOnHeap() {
    return landsOnHeap;
  }

  /** Lets the calling thread, which steps a driver, wait. */
  void park(long nanos) {
    wait.accept(nanos);
  }

  int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public String scheme() {
    return SCHEME;
  }

  @Override
  public boolean linksMove() {
    return true;
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return new InMemoryDriver(this, wakeLoop);
  }

  /** Sets the result of later connection attempts to an address. */
  public synchronized void admit(URI address, Admission admission) {
    admissions.put(keyOf(address), admission);
  }

  /**
   * Cuts every present link to an address. Nothing passes in either direction, not even the closing
   * of an end. Nothing is lost either, unless an end is closed: all of it arrives after {@link
   * #heal}. New connections are not affected; use {@link #admit} for them.
   */
  public synchronized void cut(URI address) {
    circuitsTo(address).forEach(circuit -> circuit.stall(true));
  }

  /** Restores every link to an address that was {@linkplain #cut cut}. */
  public synchronized void heal(URI address) {
    circuitsTo(address).forEach(circuit -> circuit.stall(false));
  }

  /** Closes both ends of every link to an address. Frames under way are lost. */
  public synchronized void drop(URI address, String reason) {
    circuitsTo(address).forEach(circuit -> circuit.drop(reason));
  }

  private List<Circuit> circuitsTo(URI address) {
    String name = keyOf(address);
    return circuits.stream().filter(circuit -> circuit.name.equals(name)).toList();
  }

  NanoClock clock() {
    return clock;
  }

  synchronized void connect(InMemoryDriver client, String name, InMemoryDriver.Attempt attempt)
      throws LinkException {
    Admission admission = admissions.getOrDefault(name, Admission.ACCEPT);
    if (admission == Admission.IGNORE) {
      return;
    }
    if (admission == Admission.REFUSE) {
      throw new LinkException(name + " refuses connections, as it was told to", null);
    }
    InMemoryDriver.Named listening = listenings.get(name);
    if (listening == null || admission == Admission.NOBODY_LISTENS) {
      throw LinkException.nobodyListens(
          "nothing listens at "
              + name
              + "; start its server first, in this process, or correct the name",
          null);
    }
    Circuit circuit =
        new Circuit(name, ++lastId, ringFrames, client, listening.driver(), this::ended);
    circuits.add(circuit);
    attempt.over(circuit);
    listening.driver().post(() -> listening.accept(circuit, attempt));
  }

  synchronized InMemoryDriver.Named listen(
      String name, Function<String, InMemoryDriver.Named> maker) throws LinkException {
    String free = name;
    if (name.endsWith(":0")) {
      free = name.substring(0, name.length() - 1) + ++lastId;
    }
    if (listenings.containsKey(free)) {
      throw new LinkException(
          free + " has a listener already; close that one, or choose another name", null);
    }
    InMemoryDriver.Named listening = maker.apply(free);
    listenings.put(free, listening);
    return listening;
  }

  synchronized void ended(String name, InMemoryDriver.Named listening) {
    listenings.remove(name, listening);
  }

  synchronized void ended(Circuit circuit) {
    circuits.remove(circuit);
  }

  /** Returns the part of an address that identifies it: {@code "mem://NAME"}. */
  static String nameOf(URI address) throws LinkException {
    if (!SCHEME.equals(address.getScheme()) || address.getRawAuthority() == null) {
      throw new LinkException(
          "'" + address + "' is no in-memory address; write mem://NAME, such as mem://orders",
          null);
    }
    return SCHEME + "://" + address.getRawAuthority();
  }

  private static String keyOf(URI address) {
    try {
      return nameOf(address);
    } catch (LinkException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
