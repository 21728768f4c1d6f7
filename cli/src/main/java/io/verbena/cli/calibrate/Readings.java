package io.verbena.cli.calibrate;

import static java.util.Locale.ROOT;

import io.verbena.cli.Table;
import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.PinningCost;
import io.verbena.core.link.PinningCosts;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Readings in words, and as JSON. */
final class Readings {
  private Readings() {}

  static void print(List<Reading> readings, PrintWriter out) {
    Table table =
        new Table(
            "path",
            "round trip",
            "copying",
            "pinning, warm",
            "pinning, cold",
            "beside the message",
            "sent in place");
    for (Reading reading : readings) {
      Costs costs = reading.costs();
      if (reading.absent() != null) {
        table.row(reading.path(), "none here", "", "", "", "", "");
      } else {
        table.row(
            reading.path(),
            micros(costs.roundTrip()),
            String.format(ROOT, "%.3f ns/byte", costs.copyPerByte()),
            pinning(costs.pinning().warm()),
            pinning(costs.pinning().cold()),
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
    Costs costs = reading.costs();
    CutOffs cutOffs = reading.cutOffs();
    Table table =
        new Table("bytes", "in message", "pooled", "in place", "in place, cold", "chosen");
    Map<String, List<String>> reasons = new LinkedHashMap<>();
    for (int bytes : Reading.LENGTHS) {
      Choice choice = Choice.of(costs, cutOffs, bytes);
      if (choice.why() != null) {
        reasons
            .computeIfAbsent(choice.way() + ": " + choice.why(), why -> new ArrayList<>())
            .add(bytes(bytes));
      }
      table.row(
          bytes(bytes),
          micros(CutOffs.inMessageNanos(costs, bytes)),
          micros(CutOffs.pooledNanos(costs, bytes)),
          micros(CutOffs.inPlaceNanos(costs, costs.pinning().warm(), bytes)),
          micros(CutOffs.inPlaceNanos(costs, costs.pinning().cold(), bytes)),
          choice.way());
    }
    table.print(out, "  ");
    reasons.forEach((why, lengths) -> out.println("  " + String.join(", ", lengths) + " " + why));
    String calls = reading.path() + ", whole calls, the median";
    trials(calls, "in message", "beside it", cutOffs.beside(), reading.beside(), out);
    String segments = calls + ", of memory not pinned before";
    trials(segments, "pooled", "in place", cutOffs.inPlace(), reading.inPlace(), out);
  }

  private static void trials(
      String title,
      String below,
      String from,
      long cutOff,
      List<Reading.Trial> trials,
      PrintWriter out) {
    if (trials.isEmpty()) {
      return;
    }
    out.println();
    out.println(title + ":");
    Table table = new Table("bytes", below, from, "chosen / better");
    for (Reading.Trial trial : trials) {
      table.row(
          bytes(trial.bytes()),
          micros(trial.belowNanos()),
          micros(trial.fromNanos()),
          String.format(ROOT, "%.2f", trial.chosenToBest(cutOff)));
    }
    table.print(out, "  ");
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
    PinningCosts pinning = costs.pinning();
    return String.format(
        ROOT,
        "{%s, \"roundTripNanos\": %.0f, \"copyNanosPerByte\": %.4f, \"pinNanos\": %.0f,"
            + " \"pinNanosPerPage\": %.1f, \"coldPinNanos\": %.0f,"
            + " \"coldPinNanosPerPage\": %.1f, \"besideFromBytes\": %d, \"inPlaceFromBytes\": %d,"
            + " \"trials\": %s, \"inPlaceTrials\": %s}",
        path,
        costs.roundTrip(),
        costs.copyPerByte(),
        pinning.warm().fixed(),
        pinning.warm().perPage(),
        pinning.cold().fixed(),
        pinning.cold().perPage(),
        reading.cutOffs().beside(),
        reading.cutOffs().inPlace(),
        json(reading.beside(), "inMessageNanos", "besideNanos"),
        json(reading.inPlace(), "pooledNanos", "inPlaceNanos"));
  }

  private static String json(List<Reading.Trial> trials, String below, String from) {
    return trials.stream()
        .map(
            trial ->
                String.format(
                    ROOT,
                    "{\"bytes\": %d, \"%s\": %.0f, \"%s\": %.0f}",
                    trial.bytes(),
                    below,
                    trial.belowNanos(),
                    from,
                    trial.fromNanos()))
        .collect(Collectors.joining(", ", "[", "]"));
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
