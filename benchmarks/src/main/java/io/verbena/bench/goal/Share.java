package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

import io.verbena.bench.rival.Rival;

/**
 * A rival's figure beside the one that it is known for, on another machine.
 *
 * @param figure in the unit, as is the known one
 */
record Share(Rival rival, double figure, double known, Unit unit) {
  /** A rival that does less than this part of what another one makes expect is a weak one. */
  private static final double LEAST = 0.5;

  /** What figures are in. */
  enum Unit {
    /** The median latency, of the whole round trip, in microseconds. */
    P50("a p50 of %,.1f us"),
    /** Calls each second. */
    RATE("%,.0f calls/s");

    private final String words;

    Unit(String words) {
      this.words = words;
    }

    private String of(double figure) {
      return String.format(ROOT, words, figure);
    }
  }

  /** Returns how fast it is here; 1: as fast as it is known to be. */
  double part() {
    return unit == Unit.P50 ? known / figure : figure / known;
  }

  /** Returns whether it is much less fast than another one makes expect. */
  boolean isWeakBeside(Share other) {
    return part() < LEAST * other.part();
  }

  /** Returns, in a few words, what is wrong beside another one; empty: nothing. */
  String doubtBeside(Share other) {
    return isWeakBeside(other)
        ? String.format(
            ROOT,
            "weak rival: %.2f of what %s makes expect of %s",
            part() / other.part(),
            other.rival.title(),
            rival.title())
        : "";
  }

  /** Returns its figure, what another one makes expect of it, and why. */
  String besideInWords(Share other) {
    double expected = unit == Unit.P50 ? known / other.part() : known * other.part();
    return String.format(
        ROOT,
        "%s has %s, where %s is to be expected: in the same run %s has %s, which is %.2f of the"
            + " speed that it is known for; for %s it is %.2f, and at least half as much is asked",
        rival.title(),
        unit.of(figure),
        unit.of(expected),
        other.rival.title(),
        other.unit.of(other.figure),
        other.part(),
        rival.title(),
        part());
  }
}
