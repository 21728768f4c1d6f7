package io.verbena.bench.report;

import static java.util.Locale.ROOT;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/** Prints a report as text. */
public final class Tables {
  static final String ABOUT_SPEEDS =
      "Latency in microseconds, of the whole round trip (perftest prints half of it);"
          + " medians of the rounds, but max is that of all. GB: 10^9 bytes of payload, both directions"
          + " together.";
  static final String ABOUT_COSTS = "Per call, on the client + on the server:";

  private static final int GAP = 2;
  private static final MathContext DIGITS = new MathContext(6);

  private Tables() {}

  /** Returns the figures of a report: first speeds, then costs. */
  public static String of(Report report) {
    StringBuilder text = new StringBuilder();
    text.append(ABOUT_SPEEDS)
        .append("\n\n")
        .append(speeds(report.results()))
        .append('\n')
        .append(ABOUT_COSTS)
        .append("\n\n")
        .append(table(costCells(report.results())));
    Summary.ofStates(report.results()).forEach(one -> text.append("\n* %s%n".formatted(one)));
    report
        .absent()
        .forEach((name, why) -> text.append("\nnot available: %s: %s%n".formatted(name, why)));
    return text.toString();
  }

  /** Returns the speeds of contestants, as medians of their rounds so far. */
  public static String speeds(List<Result> results) {
    return table(speedCells(results));
  }

  /** Returns the speeds as cells below a heading: contestant, load and figures. */
  static List<List<String>> speedCells(List<Result> results) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "contestant", "load", "p50", "p90", "p99", "p99.9", "max", "calls/s", "GB/s", "path"));
    for (Result result : results) {
      rows.add(
          List.of(
              Plots.name(result),
              words(result.load()),
              micros(result.median(Round::p50)),
              micros(result.median(Round::p90)),
              micros(result.median(Round::p99)),
              micros(result.median(Round::p999)),
              micros(result.max()),
              String.format(ROOT, "%,.0f", result.median(Round::callsPerSecond)),
              String.format(ROOT, "%.3f", result.median(Round::gigabytesPerSecond)),
              path(result)));
    }
    return rows;
  }

  private static String path(Result result) {
    double beside = result.median(Round::besideGigabytesPerSecond);
    return beside == 0
        ? result.path()
        : String.format(ROOT, "%s; beside it %.3f GB/s", result.path(), beside);
  }

  /** Returns the costs of a call as cells below a heading: contestant, load and figures. */
  static List<List<String>> costCells(List<Result> results) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of("contestant", "load", "CPU us", "CPU s/GB", "allocated bytes", "context switches"));
    for (Result result : results) {
      rows.add(
          List.of(
              result.contestant(),
              words(result.load()),
              both(result, "%.2f", Round.Share::cpuMicros),
              both(result, "%.2f", Round.Share::cpuSecondsPerGigabyte),
              both(result, "%.0f", Round.Share::allocatedBytes),
              both(result, "%.3f", Round.Share::contextSwitches)));
    }
    return rows;
  }

  private static String both(Result result, String format, ToDoubleFunction<Round.Share> figure) {
    if (result.isTold()) {
      return "-";
    }
    String client = median(result, format, Round::client, figure);
    if (result.rounds().getFirst().server() == null) {
      return client + " both";
    }
    return client + " + " + median(result, format, Round::server, figure);
  }

  private static String median(
      Result result,
      String format,
      Function<Round, Round.@Nullable Share> side,
      ToDoubleFunction<Round.Share> figure) {
    double median =
        result.median(
            round -> {
              Round.Share share = side.apply(round);
              return share == null ? 0 : figure.applyAsDouble(share);
            });
    return String.format(ROOT, format, median);
  }

  private static String micros(double value) {
    if (value == 0) {
      return "-"; // unknown
    }
    return String.format(ROOT, value < 1_000 ? "%.1f" : "%,.0f", value);
  }

  /** Describes a load in a few words. */
  public static String words(Load load) {
    StringBuilder words = new StringBuilder(load.kind().name().toLowerCase(Locale.ROOT));
    words.append(' ').append(bytes(load.size())).append(" x").append(load.outstanding());
    if (load.connections() > 1) {
      words.append(" on ").append(load.connections());
    }
    if (load.ratePerSecond() > 0) {
      String rate =
          new BigDecimal(load.ratePerSecond()).round(DIGITS).stripTrailingZeros().toPlainString();
      words.append(" at ").append(rate).append("/s");
    }
    if (load.kind().movesObjects()) {
      words.append(", ").append(load.memory().name().toLowerCase(Locale.ROOT));
    } else if (load.kind() != Kind.ONEWAY) {
      words
          .append(", ")
          .append(load.mode().name().toLowerCase(Locale.ROOT))
          .append("/")
          .append(load.handler().name().toLowerCase(Locale.ROOT));
    }
    if (load.validate()) {
      words.append(", validated");
    }
    if (load.checksum()) {
      words.append(", checksummed");
    }
    return words.toString();
  }

  /** Returns a size in the largest unit of which it is a multiple. */
  public static String bytes(long size) {
    if (size >= 1 << 20 && size % (1 << 20) == 0) {
      return (size >> 20) + " MiB";
    }
    return size >= 1024 && size % 1024 == 0 ? (size >> 10) + " KiB" : size + " B";
  }

  /** Returns rows in columns of the smallest width. The first row is the heading. */
  public static String table(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    Column[] layout = new Column[columns];
    for (int i = 0; i < columns; i++) {
      int column = i;
      int width = rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
      layout[i] = new Column(width + GAP, 0, Column.Overflow.SPAN);
    }
    TextTable table = TextTable.forColumns(Help.defaultColorScheme(Ansi.OFF), layout);
    table.setAdjustLineBreaksForWideCJKCharacters(false);
    rows.forEach(row -> table.addRowValues(row.toArray(new String[0])));
    return table.toString();
  }
}
