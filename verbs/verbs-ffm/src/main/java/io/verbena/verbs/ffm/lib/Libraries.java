package io.verbena.verbs.ffm.lib;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Finds the shared libraries, and binds their functions. Safe for use by any thread. */
public final class Libraries {
  private static final List<String> SONAMES = List.of(Ibverbs.SONAME, Rdmacm.SONAME);

  /** The classes that bind functions. A class whose initializer has failed never recovers. */
  private static final List<Class<?>> BOUND =
      List.of(Libc.class, Ibverbs.class, Rdmacm.class, DataPath.class);

  private static final AtomicReference<@Nullable Throwable> UNBOUND = new AtomicReference<>();

  private Libraries() {}

  /** Returns the first library that the loader does not find. It may be installed between calls. */
  public static Optional<String> missing() {
    return SONAMES.stream().filter(soname -> !NativeLibrary.isThere(soname)).findFirst();
  }

  /**
   * Binds all functions, so that a missing one is found before any call.
   *
   * @return the reason why they cannot be bound, the same for each call; null if they are bound
   */
  public static @Nullable Throwable obstacle() {
    Throwable known = UNBOUND.get();
    if (known != null) {
      return known;
    }
    try {
      for (Class<?> one : BOUND) {
        MethodHandles.privateLookupIn(one, MethodHandles.lookup()).ensureInitialized(one);
      }
      return null;
    } catch (Throwable thrown) { // verbs cannot be called, for any exception
      Throwable root =
          thrown instanceof ExceptionInInitializerError && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      UNBOUND.set(root);
      return root;
    }
  }
}
