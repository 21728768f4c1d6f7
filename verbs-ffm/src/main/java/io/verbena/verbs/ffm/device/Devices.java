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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open devices: one context object per {@code ibv_context}, the same for every id on it.
 *
 * <p>librdmacm opens each device once and may close it when a removed device's last id goes,
 * whatever else stands on the context. {@code rdma_get_devices} holds each device that it lists;
 * that hold is never given back, so that a context lives as long as the process.
 *
 * <p>The kernel may wait with the removal of a device until every process has closed it. Of that
 * nobody may hear: there may be no connection id on the device, and nobody who takes its events. So
 * a daemon thread looks whether devices are still there, from the first that is opened on. Any
 * thread.
 */
public final class Devices {
  /** How long a removed device on which nothing stands may be open, about. */
  private static final long LOOK_EVERY_MILLIS = 300;

  private final VerbsProvider provider;
  private final Map<Long, FfmContext> contexts = new ConcurrentHashMap<>();
  private boolean watched;

  /** Contexts of this registry name {@code provider} as theirs. */
  public Devices(VerbsProvider provider) {
    this.provider = provider;
  }

  /**
   * The context that an id or the device list points to; null for a null pointer. Fails where the
   * device was removed before it could be held.
   */
  public @Nullable FfmContext of(MemorySegment context) throws IOException {
    if (context.address() == 0) {
      return null;
    }
    FfmContext known = contexts.get(context.address());
    return known != null ? known : learn(context);
  }

  /** All devices that are there now. */
  public synchronized List<IbvContext> all() throws IOException {
    letGoOfRemoved();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment array = Rdmacm.GET_DEVICES.pointer(count);
      int knownBefore = contexts.size();
      List<IbvContext> devices = read(array, count.get(JAVA_INT, 0));
      if (contexts.size() == knownBefore) {
        // All of them are held already; only a list with a new device in it is kept.
        Rdmacm.FREE_DEVICES.run(array);
      }
      return devices;
    }
  }

  /** Those that can be used; fails where there are some and none can. */
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
   * A device that was plugged in since: list, which holds it, and look again. One that is not
   * listed was removed meanwhile; librdmacm may keep it open all the same, and nobody would know of
   * it once its id is gone.
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
        "rdma_get_devices", Errno.ENODEV, "The device was removed. Use another, or open it anew.");
  }

  /** Known first of all: whatever fails, it is open. */
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
        // The next look at the devices tries again.
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
        // The next look tries again.
      }
    }
  }
}
