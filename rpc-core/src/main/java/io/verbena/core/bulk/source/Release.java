package io.verbena.core.bulk.source;

import io.verbena.api.bulk.Source;
import io.verbena.link.runtime.ThrottledLog;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends a use of a source, once, where its owner counts them. Does not throw. Safe for use by any
 * thread.
 */
public final class Release implements Runnable {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(Release.class, "sources whose release failed");

  private final AtomicReference<@Nullable Runnable> owners;

  private Release(@Nullable Runnable owners) {
    this.owners = new AtomicReference<>(owners);
  }

  /** Begins a use of a source, and returns what ends it. What its owner throws is thrown. */
  public static Release of(Source source) {
    if (source instanceof Source.Counted counted) {
      counted.retain().run();
      return new Release(counted.release());
    }
    return new Release(null);
  }

  @Override
  public void run() {
    Runnable first = owners.getAndSet(null);
    if (first == null) {
      return;
    }
    try {
      first.run();
    } catch (Throwable e) { // users' code
      BROKEN.warn("What the owner of a {} has run when it is read no more failed", "source", e);
    }
  }
}
