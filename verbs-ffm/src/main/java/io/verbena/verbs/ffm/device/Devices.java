package io.verbena.verbs.ffm.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
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
 * that hold is never given back, so that a context lives as long as the process. Any thread.
 */
public final class Devices {
  private final VerbsProvider provider;
  private final Map<Long, FfmContext> contexts = new ConcurrentHashMap<>();

  /** Contexts of this registry name {@code provider} as theirs. */
  public Devices(VerbsProvider provider) {
    this.provider = provider;
  }

  /** The context that an id or the device list points to; null for a null pointer. */
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
      MemorySegment array = Rdmacm.getDevices(count);
      int knownBefore = contexts.size();
      List<IbvContext> devices = read(array, count.get(JAVA_INT, 0));
      if (contexts.size() == knownBefore) {
        // All of them are held already; only a list with a new device in it is kept.
        Rdmacm.freeDevices(array);
      }
      return devices;
    }
  }

  /** Of the removal of a device on which no connection id stands nobody hears. */
  void letGoOfRemoved() throws IOException {
    for (FfmContext known : contexts.values()) {
      if (known.isGone()) {
        known.removed();
      }
    }
  }

  private List<IbvContext> read(MemorySegment array, int count) throws IOException {
    List<IbvContext> devices = new ArrayList<>();
    MemorySegment entries = array.reinterpret(count * ADDRESS.byteSize());
    for (int i = 0; i < count; i++) {
      devices.add(contextOf(entries.getAtIndex(ADDRESS, i)));
    }
    return devices;
  }

  /** A device that was plugged in since: list, which holds it, and look again. */
  private synchronized FfmContext learn(MemorySegment context) throws IOException {
    if (!contexts.containsKey(context.address())) {
      all();
    }
    return contextOf(context);
  }

  private synchronized FfmContext contextOf(MemorySegment context) throws IOException {
    FfmContext known = contexts.get(context.address());
    if (known == null) {
      known = FfmContext.open(provider, this, context);
      contexts.put(context.address(), known);
    }
    return known;
  }
}
