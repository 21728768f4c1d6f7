package io.verbena.verbs.ffm.device;

import io.verbena.verbs.ffm.cq.FfmCq;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.qp.FfmQp;
import io.verbena.verbs.ffm.qp.FfmSrq;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The living objects of one device by their native address, for everything that names an object by
 * its pointer: events, and the tokens in requests that the application filled in. Any thread.
 */
public final class LiveObjects {
  private final Map<Long, Object> objects = new ConcurrentHashMap<>();

  /** Notes an object when it is made. */
  public void add(long address, Object object) {
    objects.put(address, object);
  }

  /** Forgets it before its memory is freed; it is known again where that fails. */
  public void forget(long address, Lifetime.Free free) throws IOException {
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

  /** The queue pair there, or null. */
  public @Nullable FfmQp qp(long address) {
    return find(address, FfmQp.class);
  }

  /** The completion queue there, or null. */
  public @Nullable FfmCq cq(long address) {
    return find(address, FfmCq.class);
  }

  /** The shared receive queue there, or null. */
  public @Nullable FfmSrq srq(long address) {
    return find(address, FfmSrq.class);
  }

  /** The memory region there, or null. */
  public @Nullable FfmMr mr(long address) {
    return find(address, FfmMr.class);
  }

  /** The memory window there, or null. */
  public @Nullable FfmWindow window(long address) {
    return find(address, FfmWindow.class);
  }

  private <T> @Nullable T find(long address, Class<T> type) {
    Object object = objects.get(address);
    return type.isInstance(object) ? type.cast(object) : null;
  }
}
