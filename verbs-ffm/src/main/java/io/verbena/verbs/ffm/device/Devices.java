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
  public List<IbvContext> all() throws IOException {
    List<IbvContext> devices = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      // The array is a few words per call and belongs to the hold, which is for ever.
      MemorySegment array = Rdmacm.getDevices(count);
      int devicesThere = count.get(JAVA_INT, 0);
      MemorySegment entries = array.reinterpret(devicesThere * ADDRESS.byteSize());
      for (int i = 0; i < devicesThere; i++) {
        devices.add(contextOf(entries.getAtIndex(ADDRESS, i)));
      }
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
      known = FfmContext.open(provider, context);
      contexts.put(context.address(), known);
    }
    return known;
  }
}
