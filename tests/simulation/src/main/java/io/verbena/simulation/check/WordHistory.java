package io.verbena.simulation.check;

import io.verbena.simulation.check.RegionBook.Op;
import io.verbena.simulation.plan.Step.ReachKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations on one word. They must have an order in which each operation takes effect at one
 * moment between its beginning and its end. An operation that is not known to be done may take
 * effect at any time after its beginning, or never.
 *
 * <p>Each value identifies its writer. So the values that were read leave few possible orders,
 * which are checked without a search.
 */
abstract class WordHistory {
  static final String RULE = "operations on words are linearizable";
  static final String NEVER = "operations reported as never done have no effect";

  final List<Op> ops = new ArrayList<>();

  /** Records the beginning of an operation, and draws its value. */
  abstract void began(Op op);

  /** Returns whether there is a value for one more operation. */
  boolean hasRoom() {
    return true;
  }

  /** Checks the history at the end, with the last value of the word. */
  abstract void close(long last, RegionBook.Finding finding);

  static boolean isRead(Op op) {
    return switch (op.step.kind()) {
      case GET_ADDED, GET_EXCHANGED, GET_PUT -> true;
      default -> false;
    };
  }

  /** A word to which each operation adds its own bit. A value shows all earlier additions. */
  static final class Added extends WordHistory {
    private int bits;

    @Override
    boolean hasRoom() {
      return bits < Long.SIZE - 2;
    }

    @Override
    void began(Op op) {
      if (!isRead(op)) {
        op.value = 1L << bits;
        bits++;
      }
      ops.add(op);
    }

    @Override
    void close(long last, RegionBook.Finding finding) {
      List<Op> seeing = new ArrayList<>();
      for (Op op : ops) {
        if (op.seen != null) {
          seeing.add(op);
          known(op, op.seen, op.ended, finding);
        }
        if (op.done && !isRead(op) && (last & op.value) == 0) {
          finding.broken(op, RULE, "its addition is missing in the last value, " + binary(last));
        }
      }
      known(null, last, Long.MAX_VALUE, finding);
      for (int i = 0; i < seeing.size(); i++) {
        Op one = seeing.get(i);
        if ((one.seen() & ~last) != 0) {
          finding.broken(one, RULE, "it saw %s of %s".formatted(binary(one.seen()), binary(last)));
        }
        for (int j = i + 1; j < seeing.size(); j++) {
          Op other = seeing.get(j);
          boolean mayBeFirst = mayPrecede(one, other);
          if (!mayBeFirst && !mayPrecede(other, one)) {
            finding.broken(
                one,
                RULE,
                "it saw %s, and %s saw %s"
                    .formatted(binary(one.seen()), other, binary(other.seen())));
            return;
          }
        }
      }
    }

    private static String binary(long value) {
      return Long.toBinaryString(value);
    }

    private static boolean mayPrecede(Op first, Op second) {
      return first.began < second.ended && ((first.seen() | first.value) & ~second.seen()) == 0;
    }

    /** Checks the bits of a value. Their additions must have begun, and not be never done. */
    private void known(@Nullable Op by, long seen, long ended, RegionBook.Finding finding) {
      long may = 0;
      long never = 0;
      for (Op op : ops) {
        if (op.began < ended && op != by) {
          may |= op.value;
        }
        if (op.never) {
          never |= op.value;
        }
      }
      if ((seen & ~may) != 0) {
        finding.broken(by, RULE, "no operation added all of " + binary(seen));
      }
      if ((seen & never) != 0) {
        finding.broken(
            by,
            NEVER,
            "the value %s has a bit of an operation that was reported as never done"
                .formatted(binary(seen)));
      }
    }
  }

  /** A word to which each operation writes its own value. */
  private abstract static class Valued extends WordHistory {
    final Map<Long, Op> writers = new HashMap<>();

    /** Returns whether the operation may have written, according to its reported result. */
    abstract boolean mayHaveWritten(Op op);

    /** Checks that the writer of a value may have written it. Returns whether it may. */
    final boolean isKnown(@Nullable Op by, long seen, RegionBook.Finding finding) {
      Op writer = writers.get(seen);
      if (seen != 0 && (writer == null || !mayHaveWritten(writer))) {
        boolean never = writer != null && writer.never;
        finding.broken(by, never ? NEVER : RULE, "the value is %d, of %s".formatted(seen, writer));
        return false;
      }
      return true;
    }
  }

  /** A word that only exchanges change. The last value shows their order. */
  static final class Exchanged extends Valued {
    /** The value that was read last, which other exchanges expect. */
    private long latest;

    private long before;

    @Override
    void began(Op op) {
      for (Op one : ops) {
        if (one.seen != null && one.done) {
          latest = isRead(one) || one.seen != one.expected ? one.seen : one.value;
        }
      }
      ops.add(op);
      if (!isRead(op)) {
        op.value = op.step.op();
        op.expected = op.step.op() % 5 == 0 ? before : latest;
        before = op.expected;
        writers.put(op.value, op);
      }
    }

    @Override
    boolean mayHaveWritten(Op op) {
      return !op.never && (!op.done || (op.seen != null && op.seen == op.expected));
    }

    @Override
    void close(long last, RegionBook.Finding finding) {
      List<Op> path = path(last, finding);
      if (path == null) {
        return;
      }
      Map<Long, List<Op>> seeing = new HashMap<>();
      for (Op op : ops) {
        boolean wrote = !isRead(op) && op.done && mayHaveWritten(op);
        if (wrote && !path.contains(op)) {
          finding.broken(op, RULE, "no exchange followed its value, but the last value is " + last);
        } else if (op.seen != null && !wrote) {
          seeing.computeIfAbsent(op.seen, none -> new ArrayList<>()).add(op);
        }
      }
      long begun = inOrder(seeing.remove(0L), -1, finding);
      for (Op op : path) {
        begun = inOrder(List.of(op), begun, finding);
        begun = inOrder(seeing.remove(op.value), begun, finding);
      }
      seeing.forEach(
          (value, some) -> {
            Op one = some.getFirst();
            if (op(value) == null || one.step.kind() != ReachKind.SET) {
              finding.broken(one, RULE, "it saw %d, which was never written".formatted(value));
            }
          });
    }

    private @Nullable Op op(long value) {
      return writers.get(value);
    }

    private @Nullable List<Op> path(long last, RegionBook.Finding finding) {
      List<Op> path = new ArrayList<>();
      Set<Op> met = new HashSet<>();
      for (long value = last; value != 0; ) {
        Op writer = writers.get(value);
        if (!isKnown(null, value, finding) || writer == null) {
          return null;
        }
        if (!met.add(writer)) {
          finding.broken(writer, RULE, "its value came again");
          return null;
        }
        path.addFirst(writer);
        value = writer.expected;
      }
      return path;
    }

    /** Checks the order of operations. Returns the beginning of the last one so far. */
    private static long inOrder(@Nullable List<Op> some, long begun, RegionBook.Finding finding) {
      long last = begun;
      for (Op op : some == null ? List.<Op>of() : some) {
        if (op.ended < begun) {
          finding.broken(op, RULE, "what it follows began in event " + begun);
        }
        last = Math.max(last, op.began);
      }
      return last;
    }
  }

  /**
   * A word that is written at any time. The write and the reads of each value make a zone. From
   * their first end to their last beginning the value was surely there. If the last beginning is
   * earlier, the value was there at one moment between both. No two zones of the first kind
   * overlap, and no zone of the second kind lies within one of the first kind.
   */
  static final class Written extends Valued {
    private record Zone(@Nullable Op writer, long from, long to) {}

    @Override
    void began(Op op) {
      ops.add(op);
      if (!isRead(op)) {
        op.value = op.step.op();
        writers.put(op.value, op);
      }
    }

    @Override
    boolean mayHaveWritten(Op op) {
      return !op.never;
    }

    @Override
    void close(long last, RegionBook.Finding finding) {
      Map<Long, long[]> zones = new HashMap<>();
      zones.put(0L, new long[] {0, 0});
      for (Op op : ops) {
        if (!isRead(op) && op.done) {
          zones.put(op.value, new long[] {op.ended, op.began});
        }
      }
      for (Op op : ops) {
        if (isRead(op) && op.seen != null && !seen(op, op.seen, zones, finding)) {
          return;
        }
      }
      if (!seen(null, last, zones, finding)) {
        return;
      }
      List<Zone> sure = new ArrayList<>();
      List<Zone> others = new ArrayList<>();
      zones.forEach(
          (value, zone) -> {
            Op writer = writers.get(value);
            if (zone[0] < zone[1]) {
              sure.add(new Zone(writer, zone[0], zone[1]));
            } else {
              others.add(new Zone(writer, zone[1], zone[0]));
            }
          });
      for (int i = 0; i < sure.size(); i++) {
        Zone one = sure.get(i);
        for (Zone other : sure.subList(i + 1, sure.size())) {
          if (one.from < other.to && other.from < one.to) {
            finding.broken(
                one.writer, RULE, "its value and that of %s came by turns".formatted(other.writer));
            return;
          }
        }
        for (Zone other : others) {
          if (one.from < other.from && other.to < one.to) {
            finding.broken(
                other.writer, RULE, "it was written and that of %s stayed".formatted(one.writer));
            return;
          }
        }
      }
    }

    private boolean seen(
        @Nullable Op by, long seen, Map<Long, long[]> zones, RegionBook.Finding finding) {
      if (!isKnown(by, seen, finding)) {
        return false;
      }
      Op writer = writers.get(seen);
      long ended = by == null ? Long.MAX_VALUE : by.ended;
      long began = by == null ? Long.MAX_VALUE : by.began;
      if (writer != null && ended < writer.began) {
        finding.broken(by, RULE, "it saw what %s wrote".formatted(writer));
        return false;
      }
      long[] zone =
          zones.computeIfAbsent(
              seen, none -> new long[] {Long.MAX_VALUE, writer == null ? 0 : writer.began});
      zone[0] = Math.min(zone[0], ended);
      zone[1] = Math.max(zone[1], began);
      return true;
    }
  }
}
