package io.verbena.verbs.ffm.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ffm.lib.Rdmacm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open devices. Each {@code ibv_context} has one context object, which all its ids share.
 *
 * <p>librdmacm opens each device once. After a removal it may close the device with the last id,
 * even if other objects still use the context. {@code rdma_get_devices} holds each device that it
 * lists. This class never releases that hold, so that a context lives as long as the process.
 *
 * <p>The kernel may delay the removal of a device until every process has closed it. A process may
 * get no event for that: the device may have no connection id, and no thread may take its
 * asynchronous events. So a daemon thread checks from the first open device on whether devices are
 * still there. Safe for use by any thread.
 */
public final class Devices {
  /** A removed device without dependents stays open for about this time. */
  private static final long LOOK_EVERY_MILLIS = 300;

  /**
   * The driver of AWS's adapters, whose devices have no reliable connections. libfabric's provider
   * for them suffers if they are held open (its prov/verbs/src/verbs_info.c, af8ddbe9).
   */
  private static final String EFA = "efa";

  private static final Path SYSTEM = Path.of("/sys/class/infiniband");

  private final VerbsProvider provider;
  private final Map<Long, FfmContext> contexts = new ConcurrentHashMap<>();
  private boolean watched;

  /** Makes a registry whose contexts name {@code provider} as theirs. */
  public Devices(VerbsProvider provider) {
    this.provider = provider;
  }

  /**
   * Returns the context for a pointer from an id or the device list; null for a null pointer. Fails
   * if the device was removed before it could be held.
   */
  public @Nullable FfmContext of(MemorySegment context) throws IOException {
    if (context.address() == 0) {
      return null;
    }
    FfmContext known = contexts.get(context.address());
    return known != null ? known : learn(context);
  }

  /**
   * Returns all devices that are there now, except where no connection can use any: listing them
   * would open each for the life of the process, which other users of those may not bear.
   */
  public synchronized List<IbvContext> all() throws IOException {
    letGoOfRemoved();
    if (onlyWithoutConnections(SYSTEM)) {
      return List.of();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment array = Rdmacm.GET_DEVICES.pointer(count);
      int knownBefore = contexts.size();
      List<IbvContext> devices = read(array, count.get(JAVA_INT, 0));
      if (contexts.size() == knownBefore) {
        // All devices are held already. Only a list with a new device is kept.
        Rdmacm.FREE_DEVICES.run(array);
      }
      return devices;
    }
  }

  /** Returns whether the kernel has devices, and each of them is without connections. */
  public static boolean onlyWithoutConnections(Path devices) {
    try (Stream<Path> all = Files.list(devices)) {
      List<Path> listed = all.toList();
      return !listed.isEmpty()
          && listed.stream().allMatch(one -> FfmContext.driverOf(one).equals(EFA));
    } catch (IOException none) {
      return false;
    }
  }

  /** Returns the usable devices. Fails if there are devices, but none is usable. */
  private List<IbvContext> read(MemorySegment array, int count) throws IOException {
    List<IbvContext> devices = new ArrayList<>();
    IOException failure = null;
    MemorySegment entries = array.reinterpret(count * ADDRESS.byteSize());
    for (int i = 0; i < count; i++) {
      try {
        devices.add(contextOf(entries.getAtIndex(ADDRESS, i)));
      } catch (IOException broken) {
        failure = broken;
      }
    }
    if (failure != null && devices.isEmpty()) {
      throw failure;
    }
    return devices;
  }

  /**
   * Finds a device that was plugged in since the last list. A new list holds it. A device that is
   * not in the list was removed. librdmacm may still keep it open, and its id is the last reference
   * to it.
   */
  private synchronized FfmContext learn(MemorySegment context) throws IOException {
    IOException unlisted = null;
    if (!contexts.containsKey(context.address())) {
      try {
        all();
      } catch (IOException none) {
        unlisted = none;
      }
    }
    FfmContext known = contexts.get(context.address());
    if (known == null) {
      FfmContext.letGo(context);
      throw unlisted != null ? unlisted : removed();
    }
    return known;
  }

  private static VerbsException removed() {
    return new VerbsException(
        "rdma_get_devices",
        Errno.ENODEV,
        "The device was removed. Use another device, or open it again.");
  }

  /** Records the context before any step that may fail, because the device is already open. */
  private FfmContext contextOf(MemorySegment context) throws IOException {
    FfmContext known = contexts.get(context.address());
    if (known == null) {
      known = FfmContext.of(provider, context);
      contexts.put(context.address(), known);
    }
    watch();
    known.prepare();
    return known;
  }

  private void watch() {
    if (!watched) {
      try {
        Thread.ofPlatform().daemon().name("verbena-device-removals").start(this::watchRemovals);
        watched = true;
      } catch (OutOfMemoryError noThread) {
        // The next check of the devices tries again.
      }
    }
  }

  private void watchRemovals() {
    while (true) {
      try {
        Thread.sleep(LOOK_EVERY_MILLIS);
      } catch (InterruptedException meantForNobody) {
        continue;
      }
      letGoOfRemoved();
    }
  }

  private void letGoOfRemoved() {
    for (FfmContext known : contexts.values()) {
      try {
        if (known.isGone()) {
          known.removed();
        }
      } catch (IOException noDescriptor) {
        // The next check tries again.
      }
    }
  }
}
