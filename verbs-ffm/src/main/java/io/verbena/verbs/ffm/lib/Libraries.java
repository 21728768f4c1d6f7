package io.verbena.verbs.ffm.lib;

import java.util.List;
import java.util.Optional;

/** Asks for the shared libraries without starting to use them. */
public final class Libraries {
  private static final List<String> SONAMES = List.of(Ibverbs.SONAME, Rdmacm.SONAME);

  private Libraries() {}

  /** The first library that the loader does not find. Asked anew each time: it may be installed. */
  public static Optional<String> missing() {
    return SONAMES.stream().filter(soname -> !NativeLibrary.isThere(soname)).findFirst();
  }
}
