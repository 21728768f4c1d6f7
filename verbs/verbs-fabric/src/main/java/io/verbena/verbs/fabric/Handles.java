package io.verbena.verbs.fabric;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that name objects of a device in requests and attributes. A real device uses pointers
 * in their place. Guarded by the fabric's lock.
 */
final class Handles {
  private final Map<Long, Object> objects = new HashMap<>();
  private long next = 1;

  long add(Object object) {
    objects.put(next, object);
    return next++;
  }

  void remove(long handle) {
    objects.remove(handle);
  }

  /** Returns the object of a kind with a handle, or null if there is none. */
  <T> @Nullable T find(long handle, Class<T> kind) {
    Object object = objects.get(handle);
    return kind.isInstance(object) ? kind.cast(object) : null;
  }
}
