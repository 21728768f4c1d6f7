package io.verbena.core.bulk;

import io.verbena.api.bulk.Source;
import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.ThrottledLog;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ends one use of a source, once, if its owner counts the uses. Does not throw. Safe for use by any
 * thread.
 */
public final class Release implements Runnable {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(Release.class, "sources whose release failed");

  private final AtomicReference<@Nullable Runnable> owners;

  private Release(@Nullable Runnable owners) {
    this.owners = new AtomicReference<>(owners);
  }

  /**
   * Begins a use of a source. If this method throws, the use has ended. Exceptions of the source's
   * owner are thrown, too.
   *
   * @param use uses the source, and takes the object that ends the use
   */
  public static <T> T begin(Source source, Function<Release, T> use) {
    Release release;
    if (Checks.required("source", source) instanceof Source.Counted counted) {
      counted.retain().run();
      release = new Release(counted.release());
    } else {
      release = new Release(null);
    }
    boolean begun = false;
    try {
      T result = use.apply(release);
      begun = true;
      return result;
    } finally {
      if (!begun) {
        release.run();
      }
    }
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
      BROKEN.warn("The release callback of a {} failed", "source", e);
    }
  }
}
