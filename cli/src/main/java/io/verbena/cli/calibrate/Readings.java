package io.verbena.cli.calibrate;

import static java.util.Locale.ROOT;

import io.verbena.cli.Table;
import io.verbena.core.bulk.Costs;
import io.verbena.core.bulk.CutOffs;
import io.verbena.core.link.PinningCost;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/** Readings in words, and as JSON. */
final class Readings {
  private Readings() {}

  static void print(List<Reading> readings, PrintWriter out) {
    Table table =
        new Table(
            "path", "round trip", "copying", "pinning", "beside the message", "sent in place");
    for (Reading reading : readings) {
      Costs costs = reading.costs();
      if (reading.absent() != null) {
        table.row(reading.path(), "none here", "", "", "", "");
      } else {
        table.row(
            reading.path(),
            micros(costs.roundTrip()),
            String.format(ROOT, "%.3f ns/byte", costs.copyPerByte()),
            pinning(costs.pinning()),
            "from " + bytes(reading.cutOffs().beside()),
            inPlace(reading.cutOffs()));
      }
    }
    table.print(out, "");
    for (Reading reading : readings) {
      if (reading.absent() != null) {
        out.println();
        out.println(reading.path() + ": " + reading.absent());
      } else {
        curves(reading, out);
      }
    }
  }

  private static void curves(Reading reading, PrintWriter out) {
    out.println();
    out.println(reading.path() + ", a value of a call, by the formula:");
    Table table = new Table("bytes", "in message", "pooled", "in place", "chosen");
    for (int bytes : Reading.LENGTHS) {
      Costs costs = reading.costs();
      CutOffs cutOffs = reading.cutOffs();
      table.row(
          bytes(bytes),
          micros(CutOffs.inMessageNanos(costs, bytes)),
          micros(CutOffs.pooledNanos(costs, bytes)),
          micros(CutOffs.inPlaceNanos(costs, bytes)),
          bytes < cutOffs.beside()
              ? "in message"
              : bytes < cutOffs.inPlace() ? "pooled" : "in place");
    }
    table.print(out, "  ");
    if (!reading.trials().isEmpty()) {
      out.println();
      out.println(reading.path() + ", whole calls, the median:");
      Table trials = new Table("bytes", "in message", "beside it", "chosen / better");
      for (Reading.Trial trial : reading.trials()) {
        trials.row(
            bytes(trial.bytes()),
            micros(trial.inMessageNanos()),
            micros(trial.besideNanos()),
            String.format(ROOT, "%.2f", trial.chosenToBest(reading.cutOffs())));
      }
      trials.print(out, "  ");
    }
  }

  private static String pinning(PinningCost cost) {
    return cost.equals(PinningCost.NONE)
        ? "none"
        : String.format(ROOT, "%.1f us + %.3f us/page", cost.fixed() / 1e3, cost.perPage() / 1e3);
  }

  private static String inPlace(CutOffs cutOffs) {
    if (cutOffs.inPlace() <= 1) {
      return "always";
    }
    return cutOffs.inPlace() == Long.MAX_VALUE ? "never" : "from " + bytes(cutOffs.inPlace());
  }

  private static String micros(double nanos) {
    return String.format(ROOT, "%.1f us", nanos / 1e3);
  }

  private static String bytes(long bytes) {
    if (bytes >= 1 << 20) {
      return String.format(ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
    return bytes >= 1 << 10
        ? String.format(ROOT, "%.1f KiB", bytes / (double) (1 << 10))
        : bytes + " B";
  }

  static String json(List<Reading> readings) {
    return readings.stream()
        .map(Readings::json)
        .collect(Collectors.joining(",\n  ", "[\n  ", "\n]"));
  }

  private static String json(Reading reading) {
    String path = "\"path\": \"" + escaped(reading.path()) + "\"";
    String absent = reading.absent();
    if (absent != null) {
      return "{" + path + ", \"absent\": \"" + escaped(absent) + "\"}";
    }
    Costs costs = reading.costs();
    String trials =
        reading.trials().stream()
            .map(
                trial ->
                    String.format(
                        ROOT,
                        "{\"bytes\": %d, \"inMessageNanos\": %.0f, \"besideNanos\": %.0f}",
                        trial.bytes(),
                        trial.inMessageNanos(),
                        trial.besideNanos()))
            .collect(Collectors.joining(", ", "[", "]"));
    return String.format(
        ROOT,
        "{%s, \"roundTripNanos\": %.0f, \"copyNanosPerByte\": %.4f, \"pinNanos\": %.0f,"
            + " \"pinNanosPerPage\": %.1f, \"besideFromBytes\": %d, \"inPlaceFromBytes\": %d,"
            + " \"trials\": %s}",
        path,
        costs.roundTrip(),
        costs.copyPerByte(),
        costs.pinning().fixed(),
        costs.pinning().perPage(),
        reading.cutOffs().beside(),
        reading.cutOffs().inPlace(),
        trials);
  }

  private static String escaped(String text) {
    StringBuilder safe = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                safe.append('\\').append((char) c);
              } else {
                safe.append(c < ' ' ? ' ' : (char) c);
              }
            });
    return safe.toString();
  }
}
