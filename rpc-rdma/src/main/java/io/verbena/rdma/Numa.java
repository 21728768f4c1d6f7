package io.verbena.rdma;

import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.Thrown;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NUMA nodes of the host, and the binding of loops to them. On a host with several nodes, the
 * thread of a loop may be bound to the processors of its device's node, as far as the process may
 * use them. It is bound before it makes the device's queues and pools. So their pages, which it
 * touches first, are on that node, too.
 *
 * <p>A thread inherits the processors of the thread that starts it, and so do carriers of virtual
 * threads. Therefore threads that a bound loop has started, mostly for handlers, are found and get
 * back the processors that the loop had before. Safe for use by any thread.
 */
public final class Numa {
  private static final Logger LOG = LoggerFactory.getLogger(Numa.class);

  /** A look takes a tenth of a millisecond for 100 threads. */
  private static final long LOOK_EVERY_NANOS = Duration.ofMillis(250).toNanos();

  private static final int MOST_PROCESSORS = 1 << 16;

  /** The bound loops of this process, of all instances, by their directory in /proc. */
  private static final Map<Path, Binding> BOUND = new ConcurrentHashMap<>();

  private final VerbsProvider verbs;
  private final boolean on;
  private boolean looking;

  /** The threads that were there at the last look, or before the first loop was bound. */
  private Set<Path> known = Set.of();

  private record Binding(BitSet processors, BitSet before) {}

  /**
   * The processors for the loops of a device.
   *
   * @param node the device's node; -1 if it is unknown or the only one
   * @param processors the processors of the node to which the loops are bound, such as {@code
   *     16-31,48}; empty if they are not bound
   * @param words for a session's path; empty if the host has only one node
   * @param cure the change that would let the loops run on the node; empty if they do, or if there
   *     is none
   */
  public record Place(int node, String processors, String words, String cure) {
    static final Place ONLY = new Place(-1, "", "", "");

    private static Place unknown(String told) {
      String why = told.isEmpty() ? "" : ": numa_node is " + told;
      return new Place(-1, "", "NUMA node unknown" + why, "");
    }

    private static Place not(int node, String why, String cure) {
      return new Place(node, "", "not bound to its NUMA node " + node + ": " + why, cure);
    }
  }

  /**
   * Makes an instance that has bound nothing yet.
   *
   * @param verbs binds threads, and knows the place of the host's files
   * @param on whether to bind loops at all
   */
  public Numa(VerbsProvider verbs, boolean on) {
    this.verbs = verbs;
    this.on = on;
  }

  /**
   * Returns the place of a device's loops if the calling thread started them.
   *
   * @param root the root of the host's files
   * @param on whether to bind loops at all
   */
  public static Place place(Path root, String device, boolean on) {
    return place(root, device, on, processorsOf(root.resolve("proc/thread-self")));
  }

  private static Place place(Path root, String device, boolean on, BitSet allowed) {
    Path folder = root.resolve("sys/devices/system/node");
    BitSet nodes = new BitSet();
    list(text(folder.resolve("online"))).stream()
        .filter(node -> !processorsOf(folder, node).isEmpty())
        .forEach(nodes::set);
    if (nodes.cardinality() < 2) {
      return Place.ONLY;
    }
    String told = text(root.resolve("sys/class/infiniband/" + device + "/device/numa_node"));
    if (!told.matches("\\d{1,4}")) {
      return Place.unknown(told);
    }
    int node = Integer.parseInt(told);
    if (!nodes.get(node)) {
      return Place.not(node, "it has no processor that is online", "");
    }
    BitSet processors = processorsOf(folder, node);
    String cure =
        "let the process use processors %s (taskset, numactl, or the cpuset of its container)"
            .formatted(words(processors));
    processors.and(allowed);
    Place there = new Place(node, words(processors), "NUMA node " + node, "");
    if (allowed.isEmpty()) {
      return Place.not(node, "the processors that this process may use are unknown", "");
    }
    if (processors.equals(allowed)) {
      return there; // no binding is needed
    }
    if (!on) {
      return Place.not(node, "it is switched off", "");
    }
    if (processors.isEmpty()) {
      String why = "this process may use no processor but " + words(allowed);
      return Place.not(node, why, cure);
    }
    // With less than half of a node's usual share of processors, the loops would only disturb each
    // other.
    if (2 * processors.cardinality() * nodes.cardinality() < allowed.cardinality()) {
      return Place.not(
          node,
          "this process may use %s there, of its %d processors"
              .formatted(words(processors), allowed.cardinality()),
          cure);
    }
    return there;
  }

  /** Returns the online processors of a node. */
  private static BitSet processorsOf(Path nodes, int node) {
    return list(text(nodes.resolve("node" + node + "/cpulist")));
  }

  /**
   * Returns the processors that a thread may use, with regard to its control group; empty if the
   * thread is gone.
   */
  private static BitSet processorsOf(Path thread) {
    return list(status(thread, "Cpus_allowed_list:"));
  }

  private static String status(Path thread, String field) {
    return text(thread.resolve("status"))
        .lines()
        .filter(line -> line.startsWith(field))
        .map(line -> line.substring(field.length()).strip())
        .findFirst()
        .orElse("");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Returns the numbers in a list of the kernel's, such as {@code 0-3,8,10-11}; empty if it is
   * malformed.
   */
  static BitSet list(String text) {
    BitSet numbers = new BitSet();
    if (text.matches("\\d{1,5}(-\\d{1,5})?(,\\d{1,5}(-\\d{1,5})?)*")) {
      for (String part : text.split(",", -1)) {
        String[] ends = part.split("-", -1);
        int first = Integer.parseInt(ends[0]);
        int last = Integer.parseInt(ends[ends.length - 1]);
        if (first <= last && last < MOST_PROCESSORS) {
          numbers.set(first, last + 1);
        }
      }
    }
    return numbers;
  }

  /** Returns numbers in the kernel's format. */
  static String words(BitSet numbers) {
    StringJoiner words = new StringJoiner(",");
    int first = numbers.nextSetBit(0);
    while (first >= 0) {
      int end = numbers.nextClearBit(first);
      words.add(end == first + 1 ? "" + first : first + "-" + (end - 1));
      first = numbers.nextSetBit(end);
    }
    return words.toString();
  }

  // ---- binding ----

  /**
   * Binds the calling thread, which is a loop's, to the node of a device. The loop must not have
   * made anything of the device yet. A loop with devices on several nodes stays on the node of the
   * first.
   *
   * @return the place of the loop, and the obstacle to its device's node if there is one
   */
  public Place bind(String device) {
    Optional<Path> root = verbs.hostFiles();
    if (root.isEmpty()) {
      return Place.ONLY;
    }
    Path me = thisThread(root.get());
    Binding bound = BOUND.get(me);
    BitSet allowed = bound == null ? processorsOf(me) : bound.before;
    Place place = place(root.get(), device, on, allowed);
    BitSet processors = list(place.processors);
    if (processors.isEmpty() || processors.equals(bound == null ? allowed : bound.processors)) {
      return place;
    }
    return bound == null
        ? bind(me, place, new Binding(processors, allowed))
        : Place.not(place.node, "the loop is bound to another, for another device", "");
  }

  private static Path thisThread(Path root) {
    Path link = root.resolve("proc/thread-self");
    try {
      return link.toRealPath();
    } catch (IOException e) {
      return link;
    }
  }

  private Place bind(Path me, Place place, Binding binding) {
    BOUND.put(me, binding);
    try {
      // By a thread that is started before the binding, and so inherits nothing of it.
      look(me.resolveSibling(""));
      bindThread(me, binding.processors);
      LOG.debug("A loop runs on processors {}: {}", place.processors, place.words);
      return place;
    } catch (Throwable e) { // from the provider, or there is no thread
      BOUND.remove(me);
      return Place.not(
          place.node,
          e instanceof VerbsException failed
              ? failed.call() + ": " + Errno.name(failed.errno())
              : Thrown.words(e),
          "");
    }
  }

  /**
   * Binds a thread by its number, even the calling one. If the process may not do that, it could
   * not release other threads later.
   */
  private void bindThread(Path thread, BitSet processors) throws IOException {
    // The number must be in the namespace of /proc. The last of several numbers is that of this
    // process.
    String number = status(thread, "NSpid:").replaceFirst(".*\\s", "");
    if (!number.matches("\\d{1,9}")) {
      throw new IOException("its number is not known");
    }
    verbs.bindThread(Integer.parseInt(number), processors);
  }

  private synchronized void look(Path threads) throws IOException {
    if (!looking) {
      known = all(threads);
      OwnThreads.daemon("verbena-numa", () -> lookWhileBound(threads)).start();
      looking = true;
    }
  }

  private void lookWhileBound(Path threads) {
    do {
      LockSupport.parkNanos(this, LOOK_EVERY_NANOS);
    } while (releaseInherited(threads));
  }

  /** Releases threads that have inherited a binding. Returns whether loops are still bound. */
  private synchronized boolean releaseInherited(Path threads) {
    try {
      Set<Path> present = all(threads);
      BOUND.keySet().removeIf(one -> one.startsWith(threads) && !present.contains(one));
      for (Path one : present) {
        if (!known.contains(one) && !BOUND.containsKey(one)) {
          releaseInherited(one, processorsOf(one));
        }
      }
      known = present;
      looking = BOUND.keySet().stream().anyMatch(one -> one.startsWith(threads));
    } catch (IOException | RuntimeException e) {
      LOG.debug("Threads that loops have started are looked for again", e);
      looking = Files.exists(threads);
    }
    return looking;
  }

  private void releaseInherited(Path thread, BitSet processors) throws IOException {
    for (Binding one : BOUND.values()) {
      if (one.processors.equals(processors)) {
        try {
          bindThread(thread, one.before);
        } catch (VerbsException e) {
          LOG.debug("The thread {} stays on the node: {}", thread, e.getMessage());
        }
        return;
      }
    }
  }

  private static Set<Path> all(Path threads) throws IOException {
    Set<Path> all = new HashSet<>();
    try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
      each.forEach(all::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return all;
  }
}
