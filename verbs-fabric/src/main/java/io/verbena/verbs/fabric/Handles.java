package io.verbena.verbs.fabric;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens by which requests and attributes name objects of a device, where real ones use
 * pointers. Guarded by the fabric's lock.
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

  /** The object with that handle, or null where there is none of that kind. */
  <T> @Nullable T find(long handle, Class<T> kind) {
    Object object = objects.get(handle);
    return kind.isInstance(object) ? kind.cast(object) : null;
  }
}
