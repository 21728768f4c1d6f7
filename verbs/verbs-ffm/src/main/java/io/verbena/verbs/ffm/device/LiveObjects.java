package io.verbena.verbs.ffm.device;

import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The live objects of one device by their native address. Events name objects by their pointers,
 * and so do the requests of applications. Safe for use by any thread.
 */
public final class LiveObjects {
  private final Map<Long, Object> objects = new ConcurrentHashMap<>();

  /** Adds a new object. */
  public void add(long address, Object object) {
    objects.put(address, object);
  }

  /** Removes an object and frees it. If freeing fails, the object is added again. */
  public void forget(long address, Lifetime.Step free) throws IOException {
    @Nullable Object object = objects.remove(address);
    try {
      free.run();
    } catch (IOException | RuntimeException kept) {
      if (object != null) {
        objects.put(address, object);
      }
      throw kept;
    }
  }

  /** Returns the object of this type at an address, or null. */
  public <T> @Nullable T find(long address, Class<T> type) {
    Object object = objects.get(address);
    return type.isInstance(object) ? type.cast(object) : null;
  }
}
