package io.verbena.simulation.check;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.simulation.check.StreamEntry.Ending;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.StreamKind;
import io.verbena.simulation.world.SimHost;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Notes what both ends of streams see, and says what breaks the rules. */
public final class StreamBook {
  /** What is left of a deadline crosses in whole microseconds. */
  private static final long EARLY_NANOS = 1_000_000;

  /** From so many bytes on an item travels beside its message, whatever the cut-off. */
  private static final int LARGE = 64 << 10;

  private final Journal journal;
  private final boolean calm;
  private final List<StreamEntry> streams = new ArrayList<>();

  /** Processes that were killed. What unwinds in one may still make an end of a stream. */
  private final Set<SimHost> gone = new HashSet<>();

  private final Tally coverage = new Tally();

  /**
   * Streams of arguments that were cancelled before anybody was told that what their calls return
   * has ended: threads tell one end and the other.
   */
  private final Set<StreamEntry> early = new HashSet<>();

  private boolean closing;

  /** What a stream has met, or how it ended: for the table. */
  public enum Met {
    COMPLETED,
    CANCELLED,
    FAILED,
    OUT_OF_TIME,
    LOST,
    LARGE,
    PATH_CHANGED
  }

  /**
   * A book without streams.
   *
   * @param calm nothing goes wrong in this run
   */
  public StreamBook(Journal journal, boolean calm) {
    this.journal = journal;
    this.calm = calm;
  }

  /** The name of a cell. */
  public static String cell(StreamKind kind, Met met) {
    return kind + " x " + met;
  }

  /** The name of a cell. */
  public static String cell(FaultKind fault, StreamKind kind) {
    return fault + " x " + kind;
  }

  /** Returns what met streams, how often. */
  public Tally coverage() {
    return coverage;
  }

  /** A call with a stream is made. */
  public StreamEntry made(Entry call, StreamKind kind, boolean arguments) {
    StreamEntry made = new StreamEntry(call, kind, arguments);
    streams.add(made);
    return made;
  }

  /** A stream of a call's arguments ends with that which the call returns. */
  public void endsWith(StreamEntry arguments, StreamEntry answers) {
    arguments.answers = answers;
  }

  private void broken(StreamEntry stream, String rule, String what) {
    journal.broken(rule, stream.call.session, stream.call.op, what + ": " + stream);
  }

  // ---- its publisher ----

  /** Its publisher is in this process. */
  public void isSentBy(StreamEntry stream, SimHost process) {
    stream.sender = process;
    endOfGone(stream);
  }

  /** Its publisher is subscribed to. */
  public void subscribed(StreamEntry stream) {
    if (stream.subscribed) {
      broken(stream, "publishers are subscribed to once", "again");
    }
    stream.subscribed = true;
  }

  /** Its publisher is asked for items. */
  public void asked(StreamEntry stream, long number) {
    stream.asked = sum(stream.asked, number);
    if (number <= 0 || stream.asked > stream.requested) {
      broken(stream, "publishers are asked for what is requested", "asked for " + number);
    }
    if (stream.publisher == Ending.CANCELLED) {
      broken(stream, "nothing is asked of publishers that were cancelled", "asked for " + number);
    }
  }

  private static long sum(long one, long other) {
    return one + other < 0 ? Long.MAX_VALUE : one + other;
  }

  /** Its publisher sends an item. */
  public void sent(StreamEntry stream) {
    stream.sent++;
  }

  /** Its publisher says that it sends no more. */
  public void published(StreamEntry stream, boolean fails) {
    stream.publisher = fails ? Ending.FAILED : Ending.COMPLETED;
  }

  /** Its publisher is cancelled. */
  public void unsubscribed(StreamEntry stream) {
    if (stream.publisher == Ending.NONE) {
      stream.publisher = Ending.CANCELLED;
    }
  }

  /** Its publisher sends no more, and does not say so. */
  public void silent(StreamEntry stream) {
    stream.silent = true;
  }

  // ---- its subscriber ----

  /** It has a subscriber, in this process, over this path. */
  public void isTakenBy(StreamEntry stream, SimHost process, String path) {
    stream.taker = process;
    stream.taken = true;
    stream.path = path;
    endOfGone(stream);
  }

  /** Its subscriber requests items. */
  public void requested(StreamEntry stream, long number) {
    stream.requested = sum(stream.requested, number);
  }

  /** Its subscriber requests no more. */
  public void left(StreamEntry stream) {
    stream.left = true;
  }

  /** An item has arrived. */
  public void received(StreamEntry stream, int index, boolean whole, long bytes) {
    if (stream.takerGone) {
      return;
    }
    if (index != stream.received) {
      broken(stream, "items come in order, each once", "item " + index + " came");
    }
    stream.received++;
    if (stream.isTaken()) {
      broken(stream, "nothing comes behind a stream's end", "item " + index + " came");
    }
    if (stream.received > stream.requested) {
      broken(stream, "subscribers get what they request", "item " + index + " came");
    }
    if (stream.received > stream.sent) {
      broken(stream, "only what is sent arrives", "item " + index + " came");
    }
    if (!whole) {
      broken(stream, "items arrive whole and unaltered", "item " + index + " did not");
    }
    if (bytes >= LARGE) {
      coverage.add(cell(stream.kind, Met.LARGE));
    }
  }

  /** Its subscriber cancels it. */
  public void cancelled(StreamEntry stream, String path) {
    if (!stream.isTaken()) {
      stream.subscriber = Ending.CANCELLED;
      ends(stream, Met.CANCELLED, path);
    }
  }

  /**
   * Its subscriber hears of its end.
   *
   * @param path by which its session goes now
   * @param bounded whether its deadline ends it at once
   */
  public void ended(StreamEntry stream, @Nullable Throwable failure, String path, boolean bounded) {
    if (stream.takerGone) {
      return;
    }
    if (stream.isTaken()) {
      broken(stream, "every stream ends once", "it ended again, with " + failure);
      return;
    }
    stream.subscriber = failure == null ? Ending.COMPLETED : Ending.FAILED;
    if (failure == null) {
      ends(stream, Met.COMPLETED, path);
      if (stream.publisher != Ending.COMPLETED || stream.received != stream.sent) {
        broken(stream, "streams are complete when all has come", "it completes");
      }
    } else if (failure instanceof RpcException rpc) {
      failed(stream, rpc, path, bounded);
    } else {
      broken(stream, "streams fail with what is declared", failure.toString());
    }
  }

  private void ends(StreamEntry stream, Met met, String path) {
    coverage.add(cell(stream.kind, met));
    if (!path.equals(stream.path)) {
      coverage.add(cell(stream.kind, Met.PATH_CHANGED));
    }
  }

  private void failed(StreamEntry stream, RpcException failure, String path, boolean bounded) {
    if (failure.execution() != Execution.EXECUTED || !stream.call.isExecuted()) {
      broken(stream, "streams fail where their call was executed", failure.toString());
    }
    long late = journal.since(stream.call) - stream.call.timeout;
    ends(stream, met(failure.status()), path);
    boolean expected =
        switch (failure.status()) {
          case DEADLINE_EXCEEDED -> late >= -EARLY_NANOS;
          case UNAVAILABLE -> !calm || closing || stream.mayBeOver();
          // The time of its call was up: one end tells the other, whose own time has not come.
          case CANCELLED ->
              !calm
                  || closing
                  || stream.mayBeOver()
                  || late >= -EARLY_NANOS
                  || (stream.answers != stream && early.add(stream));
          case RESOURCE_EXHAUSTED -> true;
          case PERMISSION_DENIED, INTERNAL ->
              stream.publisher == Ending.FAILED && stream.received == stream.sent;
          default -> false;
        };
    if (!expected) {
      broken(stream, "streams fail for a reason", failure.getMessage() + "");
    }
    late -= stream.call.still();
    if (bounded && late > Journal.LATE_NANOS) {
      broken(
          stream,
          "deadlines end streams in time",
          "%.3f ms late: %s".formatted(late / 1e6, failure.getMessage()));
    }
  }

  private static Met met(RpcStatus status) {
    return switch (status) {
      case DEADLINE_EXCEEDED -> Met.OUT_OF_TIME;
      case PERMISSION_DENIED, INTERNAL -> Met.FAILED;
      default -> Met.LOST;
    };
  }

  // ---- what happens to it ----

  /** Its call has ended, and it is not to outlive that. */
  public void over(StreamEntry stream) {
    stream.over = true;
  }

  /** A process was killed: its ends hear nothing any more, and the others are to hear of that. */
  public void processIsGone(SimHost process) {
    gone.add(process);
    streams.forEach(this::endOfGone);
  }

  private void endOfGone(StreamEntry stream) {
    stream.senderGone |= gone.contains(stream.sender);
    stream.takerGone |= gone.contains(stream.taker);
    stream.lost |= stream.senderGone || stream.takerGone;
  }

  /** Something befalls two hosts: all streams between them meet it. */
  public void met(FaultKind fault, SimHost one, SimHost other) {
    for (StreamEntry stream : streams) {
      boolean between =
          (stream.sender == one && stream.taker == other)
              || (stream.sender == other && stream.taker == one);
      if (between && stream.subscribed && stream.isTaking()) {
        coverage.add(cell(fault, stream.kind));
      }
    }
  }

  /** Every session is closed: no stream goes on. */
  public void closing() {
    closing = true;
    for (StreamEntry stream : early) {
      if (!stream.mayBeOver() && !stream.answers.isTaken()) {
        broken(
            stream, "streams fail for a reason", "cancelled, while what its call returns goes on");
      }
    }
  }

  /** Returns whether an end of some stream is to hear something. Asked at each step of a run. */
  public boolean hasOpenOnes() {
    for (int i = 0; i < streams.size(); i++) {
      if (isOpen(streams.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the streams of which an end is to hear something, in words. */
  public List<String> openOnes() {
    return streams.stream().filter(this::isOpen).map(StreamEntry::toString).toList();
  }

  private boolean isOpen(StreamEntry stream) {
    boolean open = closing ? stream.isTaking() || stream.isPublishing() : stream.isOpen();
    return open && !journal.isExempt(stream.call.session);
  }

  /** Returns how many streams a process may have to send still. */
  public long sentBy(SimHost process) {
    return streams.stream()
        .filter(
            stream -> stream.sender == process && !stream.isTaken() && !stream.lost && !stream.over)
        .count();
  }
}
