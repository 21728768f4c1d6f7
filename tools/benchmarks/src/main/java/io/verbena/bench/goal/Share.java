package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

import io.verbena.bench.rival.Rival;

/**
 * A rival's figure beside its known figure on another machine.
 *
 * @param figure the figure in the unit, in which the known figure is too
 */
record Share(Rival rival, double figure, double known, Unit unit) {
  /** A rival is weak if its figure is below this part of the expected figure. */
  private static final double LEAST = 0.5;

  /** The unit of figures. */
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

  /** Returns the speed here divided by the known speed. */
  double part() {
    return unit == Unit.P50 ? known / figure : figure / known;
  }

  /** Returns whether the rival is much slower than another rival's speed lets expect. */
  boolean isWeakBeside(Share other) {
    return part() < LEAST * other.part();
  }

  /** Describes the weakness beside another rival in a few words; empty if there is none. */
  String doubtBeside(Share other) {
    return isWeakBeside(other)
        ? String.format(
            ROOT,
            "weak rival: %.2f of the speed that %s lets expect of %s",
            part() / other.part(),
            other.rival.title(),
            rival.title())
        : "";
  }

  /** Describes the figure, the expected figure, and the reason for the expectation. */
  String besideInWords(Share other) {
    double expected = unit == Unit.P50 ? known / other.part() : known * other.part();
    return String.format(
        ROOT,
        "%s has %s, but the expected figure is %s. In the same run %s has %s, which is %.2f of its"
            + " known speed; for %s it is %.2f, and at least half as much is required",
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
