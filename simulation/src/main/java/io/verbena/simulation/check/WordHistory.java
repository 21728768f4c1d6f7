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
 * What is done with one word, and whether there is an order of that in which each thing has its
 * effect at one moment between its beginning and its end. Whatever is not known to be done may have
 * its effect at any time after it began, or never.
 *
 * <p>Values tell who wrote them, so that what was seen leaves few orders, and these are looked
 * through without a search.
 */
abstract class WordHistory {
  static final String RULE = "what is done with words is linearizable";
  static final String NEVER = "what is said never to be done never is";

  final List<Op> ops = new ArrayList<>();

  /** Something begins; its value is drawn. */
  abstract void began(Op op);

  /** Returns whether there is a value for one more. */
  boolean hasRoom() {
    return true;
  }

  /** All is over, and the word is this. */
  abstract void close(long last, RegionBook.Finding finding);

  static boolean isRead(Op op) {
    return switch (op.step.kind()) {
      case GET_ADDED, GET_EXCHANGED, GET_PUT -> true;
      default -> false;
    };
  }

  /** Each adds a bit of its own: so what is seen says what was added before. */
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
          finding.broken(op, RULE, "what it added is missing in the last value, " + binary(last));
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

    /** What was seen was added by somebody who had begun, and who was not told that it never is. */
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
        finding.broken(by, RULE, "nobody added all of " + binary(seen));
      }
      if ((seen & never) != 0) {
        finding.broken(by, NEVER, "what %s has was not to be".formatted(binary(seen)));
      }
    }
  }

  /** Each writes a value of its own. */
  private abstract static class Valued extends WordHistory {
    final Map<Long, Op> writers = new HashMap<>();

    /** Returns whether it wrote, if anything happened as its maker was told. */
    abstract boolean mayHaveWritten(Op op);

    /** What was seen was written by somebody who may have; returns whether it was. */
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

  /** Values follow one another by exchanges alone: the last one says which these were. */
  static final class Exchanged extends Valued {
    /** What was seen last, which others expect. */
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
          finding.broken(op, RULE, "what it wrote was never followed, and the last is " + last);
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
              finding.broken(one, RULE, "it saw %d, which never was".formatted(value));
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

    /** Returns when the last of all that come before had begun. */
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
   * Values are written at any time. Each one's writing and readings make a zone: from the first end
   * to the last beginning it surely was there, or, where that is before, it was there at one moment
   * between. No two of the former overlap, and none of the latter lies within one of them.
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
