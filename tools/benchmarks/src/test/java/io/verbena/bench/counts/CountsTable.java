package io.verbena.bench.counts;

import static java.util.Locale.ROOT;

import io.verbena.bench.report.Tables;
import io.verbena.verbs.fabric.VerbsCounts;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Counts as text: per operation, the client's + the server's; nothing where neither has any. */
public final class CountsTable {
  private static final int LONG_NUMBER = 1000;
  private static final double SHORT_NUMBER = 0.1;

  private CountsTable() {}

  /** Returns what opening a session costs. */
  public static String opening(List<Opening> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("on", "until", "turns", "frames", "Sends", "receives"));
    for (Opening one : all) {
      Sides sides = new Sides(1, one.client(), one.server());
      rows.add(
          List.of(
              one.route().name().toLowerCase(ROOT),
              one.until(),
              Integer.toString(one.turns()),
              sides.both(EndCounts::frames),
              sides.verbs(VerbsCounts::sends),
              sides.verbs(VerbsCounts::receives)));
    }
    return Tables.table(rows);
  }

  /** Returns what sessions send, and what devices are asked for. */
  public static String exact(List<Counts> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "load",
            "on",
            "frames",
            "bytes",
            "requests",
            "Sends",
            "WRITEs",
            "binds",
            "invals",
            "posts",
            "recv posts",
            "polls",
            "arms"));
    for (Counts one : all) {
      Sides sides = new Sides(one.operations(), one.client(), one.server());
      boolean device = one.client().verbs() != null;
      rows.add(
          List.of(
              one.load().title(),
              one.route().name().toLowerCase(ROOT),
              sides.both(EndCounts::frames),
              sides.both(EndCounts::wireBytes),
              device ? sides.together(VerbsCounts::requests) : "",
              sides.verbs(VerbsCounts::sends),
              device ? sides.verbs(VerbsCounts::writes) : sides.both(EndCounts::bulkWrites),
              sides.verbs(VerbsCounts::binds),
              sides.verbs(VerbsCounts::invalidations),
              sides.verbs(VerbsCounts::sendPosts),
              sides.verbs(VerbsCounts::receivePosts),
              sides.verbs(VerbsCounts::polls),
              sides.verbs(VerbsCounts::arms)));
    }
    return Tables.table(rows);
  }

  /** Returns what devices are asked for, by adapter. */
  public static String adapters(Map<String, Counts> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of("adapter", "load", "requests", "Sends", "WRITEs", "binds", "invals", "registers"));
    all.forEach(
        (adapter, one) -> {
          Sides sides = new Sides(one.operations(), one.client(), one.server());
          rows.add(
              List.of(
                  adapter.substring(0, adapter.indexOf(' ')),
                  one.load().title(),
                  sides.together(VerbsCounts::requests),
                  sides.verbs(VerbsCounts::sends),
                  sides.verbs(VerbsCounts::writes),
                  sides.verbs(VerbsCounts::binds),
                  sides.verbs(VerbsCounts::invalidations),
                  sides.verbs(VerbsCounts::registrations)));
        });
    return Tables.table(rows);
  }

  /** Returns what is taken from the heap. */
  public static String heap(List<Counts> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("load", "on", "allocated bytes"));
    for (Counts one : all) {
      Sides sides = new Sides(one.operations(), one.client(), one.server());
      rows.add(
          List.of(
              one.load().title(),
              one.route().name().toLowerCase(ROOT),
              sides.both(EndCounts::allocatedBytes)));
    }
    return Tables.table(rows);
  }

  /** Returns what the kernel is asked for. */
  public static String systemCalls(List<SystemCalls> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("load", "system calls", "per MiB", "client's", "server's"));
    for (SystemCalls one : all) {
      long client = one.client().total();
      long server = one.server().total();
      rows.add(
          List.of(
              one.title(),
              number(client, one.operations()) + " + " + number(server, one.operations()),
              one.bytes() == 0 ? "" : number(one.perMebibyte()),
              one.client().words(one.operations()),
              one.server().words(one.operations())));
    }
    return Tables.table(rows);
  }

  /** Returns what processors execute. */
  public static String instructions(List<Stepper.Instructions> all) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("what", "instructions", "from", "to", "locked"));
    for (Stepper.Instructions one : all) {
      rows.add(
          List.of(
              one.title(),
              number(one.instructions(), 1),
              number(one.least(), 1),
              number(one.most(), 1),
              number(one.locked(), 1)));
    }
    return Tables.table(rows);
  }

  private record Sides(int operations, EndCounts client, EndCounts server) {
    String both(ToLongFunction<EndCounts> figure) {
      long here = figure.applyAsLong(client);
      long there = figure.applyAsLong(server);
      return here == 0 && there == 0
          ? ""
          : number(here, operations) + " + " + number(there, operations);
    }

    String verbs(ToLongFunction<VerbsCounts> figure) {
      return both(end -> of(end.verbs(), figure));
    }

    String together(ToLongFunction<VerbsCounts> figure) {
      return number(of(client.verbs(), figure) + of(server.verbs(), figure), operations);
    }

    private static long of(@Nullable VerbsCounts verbs, ToLongFunction<VerbsCounts> figure) {
      return verbs == null ? 0 : figure.applyAsLong(verbs);
    }
  }

  /** Returns what one of some operations has of a sum. */
  static String number(long sum, int operations) {
    return number((double) sum / operations);
  }

  private static String number(double value) {
    return value >= LONG_NUMBER
        ? String.format(ROOT, "%,.0f", value)
        : BigDecimal.valueOf(value)
            .setScale(value < SHORT_NUMBER ? 3 : 2, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString();
  }
}
