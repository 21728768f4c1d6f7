package io.verbena.bench.abuse;

import static java.util.Locale.ROOT;

import io.verbena.testkit.abuse.Abuser.Got;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * What came of one abuse.
 *
 * @param how what was done, and how often
 * @param before times of others' calls without it, in nanoseconds
 * @param during with it
 * @param peakBytes the most memory that the server's process had
 * @param budgetBytes what it may have
 * @param left what it held afterwards and had not before, in words; empty: nothing
 * @param got what the abuser got
 */
record AbuseRow(
    String how,
    Histogram before,
    Histogram during,
    long peakBytes,
    long budgetBytes,
    String left,
    Got got) {
  /** How much longer others' p99 may take. */
  private static final double LIMIT = 2;

  /** In the words of a failure. */
  private static final Pattern STATUS = Pattern.compile("[A-Z]+_[A-Z_]+|UNAVAILABLE|CANCELLED");

  private static final double P99 = 99;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MEBIBYTE = 1 << 20;

  static List<String> heading() {
    return List.of(
        "abuse",
        "p99 before us",
        "during us",
        "ratio",
        "peak MiB",
        "budget MiB",
        "left behind",
        "the abuser got",
        "");
  }

  private double ratio() {
    return (double) during.getValueAtPercentile(P99) / before.getValueAtPercentile(P99);
  }

  /** Returns whether others hardly noticed it, and memory kept within its budget. */
  boolean isBorne() {
    return ratio() <= LIMIT && peakBytes <= budgetBytes && left.isEmpty();
  }

  List<String> cells() {
    return List.of(
        how,
        micros(before),
        micros(during),
        String.format(ROOT, "%.2f", ratio()),
        mebibytes(peakBytes),
        mebibytes(budgetBytes),
        left.isEmpty() ? "nothing" : left,
        words(got),
        isBorne() ? "ok" : "short");
  }

  private static String micros(Histogram times) {
    return String.format(ROOT, "%,.0f", times.getValueAtPercentile(P99) / NANOS_PER_MICRO);
  }

  private static String mebibytes(long bytes) {
    return String.format(ROOT, "%,.0f", bytes / MEBIBYTE);
  }

  private static String words(Got got) {
    List<String> words = new ArrayList<>();
    words.add("%,d connections".formatted(got.connections()));
    if (got.thrownOut() > 0) {
      words.add("%,d thrown out".formatted(got.thrownOut()));
    }
    if (got.answered() > 0) {
      words.add("%,d answers".formatted(got.answered()));
    }
    if (got.refused() > 0) {
      words.add("%,d failures".formatted(got.refused()));
    }
    if (!got.failure().isEmpty()) {
      Matcher status = STATUS.matcher(got.failure());
      words.add(status.find() ? status.group() : got.failure());
    }
    return String.join(", ", words);
  }
}
