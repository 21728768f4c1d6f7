package io.verbena.verbs.ffm.lib;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Asks for the shared libraries, and binds what is called of them. Any thread. */
public final class Libraries {
  private static final List<String> SONAMES = List.of(Ibverbs.SONAME, Rdmacm.SONAME);

  /** What functions are bound in. A class whose initializer has failed stays so. */
  private static final List<Class<?>> BOUND =
      List.of(Libc.class, Ibverbs.class, Rdmacm.class, DataPath.class);

  private static final AtomicReference<@Nullable Throwable> UNBOUND = new AtomicReference<>();

  private Libraries() {}

  /** The first library that the loader does not find. Asked anew each time: it may be installed. */
  public static Optional<String> missing() {
    return SONAMES.stream().filter(soname -> !NativeLibrary.isThere(soname)).findFirst();
  }

  /**
   * Binds every function that is ever called, so that none is found to be missing in the midst of
   * things.
   *
   * @return what keeps them from being bound, the same at each call; null when nothing does
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
    } catch (Throwable thrown) { // whatever it is, verbs cannot be called
      Throwable root =
          thrown instanceof ExceptionInInitializerError && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      UNBOUND.set(root);
      return root;
    }
  }
}
