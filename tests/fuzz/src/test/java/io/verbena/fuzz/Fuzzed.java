package io.verbena.fuzz;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the fuzzer calls, in a JVM of its own. {@code -Dverbena.fuzz.target} names the target; where
 * it names none, an input's first byte does.
 */
public final class Fuzzed {
  static final String TARGET = "verbena.fuzz.target";

  private static final List<Targets> ALL = List.of(Targets.values());
  private static final Map<Targets, Target> MADE = new EnumMap<>(Targets.class);
  private static final @Nullable String NAME = System.getProperty(TARGET);

  private Fuzzed() {}

  /** Loads what is needed, before any time or memory counts. */
  public static void fuzzerInitialize() throws Exception {
    for (Targets target : NAME == null ? ALL : List.of(Targets.valueOf(NAME))) {
      for (byte[] seed : made(target).seeds()) {
        Meter.run(made(target), seed);
      }
    }
  }

  /** Takes one input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (NAME != null) {
      Meter.run(made(Targets.valueOf(NAME)), input);
    } else if (input.length > 0) {
      Meter.run(made(addressee(input)), content(input));
    }
  }

  private static Target made(Targets target) {
    return MADE.computeIfAbsent(target, Targets::make);
  }

  /** Returns an input of a target's as one for all of them. */
  static byte[] addressed(Targets target, byte[] input) {
    byte[] all = new byte[input.length + 1];
    all[0] = (byte) ALL.indexOf(target);
    System.arraycopy(input, 0, all, 1, input.length);
    return all;
  }

  /** Returns for whom an input for all of them is. */
  static Targets addressee(byte[] input) {
    return ALL.get((input[0] & 0xff) % ALL.size());
  }

  /** Returns what it has for that one. */
  static byte[] content(byte[] input) {
    return Arrays.copyOfRange(input, 1, input.length);
  }
}
