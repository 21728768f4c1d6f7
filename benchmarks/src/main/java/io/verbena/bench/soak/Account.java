package io.verbena.bench.soak;

import io.verbena.api.Execution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What the callers know of every call and transfer, to be compared with how often each call was
 * executed. A call's number tells its kind. Safe for use by any thread.
 */
final class Account {
  /** Kinds of calls, by the remainder of their number. */
  enum Kind {
    /** Not idempotent. */
    ENTER(0),
    /** Idempotent. */
    LOOK(1),
    /** One-way. */
    NOTE(2),
    /** Large values both ways, not idempotent. */
    ECHO(3);

    private final int remainder;

    Kind(int remainder) {
      this.remainder = remainder;
    }
  }

  private static final Kind[] KINDS = Kind.values();

  private final AtomicLongArray begun = new AtomicLongArray(KINDS.length);
  private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
  private final Map<Long, Execution> failed = new ConcurrentHashMap<>();
  private final Set<String> wrong = ConcurrentHashMap.newKeySet();
  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong failedTransfers = new AtomicLong();
  private final Map<String, Long> transfersUnderWay = new ConcurrentHashMap<>();

  /** Returns the number of a call that begins. */
  long begin(Kind kind) {
    long number = number(begun.getAndIncrement(kind.remainder), kind);
    underWay.add(number);
    return number;
  }

  private static long number(long index, Kind kind) {
    return index * KINDS.length + kind.remainder;
  }

  private long calls() {
    return Arrays.stream(KINDS).mapToLong(kind -> begun.get(kind.remainder)).sum();
  }

  /** A call has returned. */
  void succeeded(long number) {
    underWay.remove(number);
  }

  /** A call has failed, and says what became of it. */
  void failed(long number, Execution told) {
    failed.put(number, told);
    underWay.remove(number);
  }

  /** Something is as it must not be. */
  void wrong(String what) {
    wrong.add(what);
  }

  /** A transfer begins. */
  void transferBegins(String name) {
    transfersUnderWay.put(name, System.nanoTime());
  }

  /** A transfer has come to its end. */
  void transferEnded(String name, boolean well) {
    transfersUnderWay.remove(name);
    (well ? transfers : failedTransfers).incrementAndGet();
  }

  /** Returns whether every call and transfer has ended. */
  boolean isIdle() {
    return underWay.isEmpty() && transfersUnderWay.isEmpty();
  }

  /** Returns how it stands, in a line. */
  String words() {
    return "%,d calls (%,d failed), %,d transfers (%,d failed)"
        .formatted(
            calls(), failed.size(), transfers.get() + failedTransfers.get(), failedTransfers.get());
  }

  /**
   * Returns what does not fit; empty: every call and transfer is accounted for.
   *
   * @param lostNotes one-way calls that the client was told may be lost
   */
  List<String> judge(Executions executions, long lostNotes) {
    List<String> findings = new ArrayList<>(wrong);
    long hung = underWay.size();
    if (hung > 0) {
      findings.add(
          "%,d calls hang, as that of number %d".formatted(hung, underWay.iterator().next()));
    }
    transfersUnderWay.keySet().forEach(name -> findings.add("a transfer hangs: " + name));
    long notDone = 0;
    for (Kind kind : KINDS) {
      for (long i = 0; i < begun.get(kind.remainder); i++) {
        long number = number(i, kind);
        Execution told = failed.get(number);
        int count = executions.of(number);
        if (kind == Kind.NOTE && told == null && count == 0) {
          notDone++;
        } else if (!fits(kind, told, count) && !underWay.contains(number)) {
          findings.add(
              "%s %d was executed %d times; its caller was told: %s"
                  .formatted(kind, number, count, told == null ? "it returned" : told));
        }
      }
    }
    if (notDone > lostNotes) {
      findings.add(
          "%,d one-way calls were not executed, of which %,d were told to be lost"
              .formatted(notDone, lostNotes));
    }
    return findings;
  }

  private static boolean fits(Kind kind, @Nullable Execution told, int count) {
    boolean once = kind == Kind.LOOK ? count >= 1 : count == 1;
    return switch (told) {
      case null -> once;
      case EXECUTED -> once;
      case NOT_EXECUTED -> count == 0;
      case UNKNOWN -> once || count == 0;
    };
  }
}
