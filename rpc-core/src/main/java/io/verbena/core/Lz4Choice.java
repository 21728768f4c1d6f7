package io.verbena.core;

import io.verbena.codec.Lz4;
import io.verbena.link.ProviderChoice;

/** Finds what makes LZ4 blocks on the class path. */
final class Lz4Choice {
  private static final String PROVIDER = "io.verbena.compression.JavaLz4";

  private Lz4Choice() {}

  static Lz4 onClassPath() {
    ProviderChoice<Lz4> choice =
        ProviderChoice.of(Lz4.class, one -> one.getClass().getName(), one -> 0);
    Lz4 found = choice.get(one -> true);
    if (found == null) {
      String why = choice.whyNone();
      throw new IllegalArgumentException(
          "compressFromBytes is set, and nothing on the class path compresses%s. %s."
              .formatted(why.isEmpty() ? "" : " (" + why + ")", cure(why)));
    }
    return found;
  }

  private static String cure(String whyNone) {
    if (!whyNone.isEmpty()) {
      return "compression-lz4 needs at.yawk.lz4:lz4-java beside it: see that the build leaves it in";
    }
    String unlisted = ProviderChoice.unlisted(Lz4.class, PROVIDER);
    return unlisted.isEmpty() ? "Add io.verbena:compression-lz4 to the class path" : unlisted;
  }
}
