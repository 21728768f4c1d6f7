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

/** Records the events at both ends of streams, and checks the rules. */
public final class StreamBook {
  /** The rest of a deadline is sent in whole microseconds. */
  private static final long EARLY_NANOS = 1_000_000;

  /** From this length on, an item travels beside its message, for every cut-off. */
  private static final int LARGE = 64 << 10;

  private final Journal journal;
  private final boolean calm;
  private final List<StreamEntry> streams = new ArrayList<>();

  /** Processes that were killed. Their unwinding threads may still make ends of streams. */
  private final Set<SimHost> gone = new HashSet<>();

  private final Tally coverage = new Tally();

  /**
   * Streams of arguments that were cancelled before the end of their calls' results was reported.
   * Different threads notify the two ends.
   */
  private final Set<StreamEntry> early = new HashSet<>();

  private boolean closing;

  /** The events and ends of streams, for the table. */
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
   * Makes a book without streams.
   *
   * @param calm whether the run has no faults
   */
  public StreamBook(Journal journal, boolean calm) {
    this.journal = journal;
    this.calm = calm;
  }

  /** Returns the name of a cell. */
  public static String cell(StreamKind kind, Met met) {
    return kind + " x " + met;
  }

  /** Returns the name of a cell. */
  public static String cell(FaultKind fault, StreamKind kind) {
    return fault + " x " + kind;
  }

  /** Returns the counts of the events of streams. */
  public Tally coverage() {
    return coverage;
  }

  /** Records a new call with a stream. */
  public StreamEntry made(Entry call, StreamKind kind, boolean arguments) {
    StreamEntry made = new StreamEntry(call, kind, arguments);
    streams.add(made);
    return made;
  }

  /** Connects a stream of arguments with the returned stream, with which it ends. */
  public void endsWith(StreamEntry arguments, StreamEntry answers) {
    arguments.answers = answers;
  }

  private void broken(StreamEntry stream, String rule, String what) {
    journal.broken(rule, stream.call.session, stream.call.op, what + ": " + stream);
  }

  // ---- publishers ----

  /** Records the process of a publisher. */
  public void isSentBy(StreamEntry stream, SimHost process) {
    stream.sender = process;
    endOfGone(stream);
  }

  /** Records the subscription to a publisher. */
  public void subscribed(StreamEntry stream) {
    if (stream.subscribed) {
      broken(stream, "publishers are subscribed to once", "again");
    }
    stream.subscribed = true;
  }

  /** Records a request for items at a publisher. */
  public void asked(StreamEntry stream, long number) {
    stream.asked = sum(stream.asked, number);
    if (number <= 0 || stream.asked > stream.requested) {
      broken(stream, "publishers are asked only for requested items", "asked for " + number);
    }
    if (stream.publisher == Ending.CANCELLED) {
      broken(stream, "cancelled publishers get no requests", "asked for " + number);
    }
  }

  private static long sum(long one, long other) {
    return one + other < 0 ? Long.MAX_VALUE : one + other;
  }

  /** Records that a publisher sends an item. */
  public void sent(StreamEntry stream) {
    stream.sent++;
  }

  /** Records that a publisher completes or fails. */
  public void published(StreamEntry stream, boolean fails) {
    stream.publisher = fails ? Ending.FAILED : Ending.COMPLETED;
  }

  /** Records that a publisher is cancelled. */
  public void unsubscribed(StreamEntry stream) {
    if (stream.publisher == Ending.NONE) {
      stream.publisher = Ending.CANCELLED;
    }
  }

  /** Records that a publisher sends no more items, without an end. */
  public void silent(StreamEntry stream) {
    stream.silent = true;
  }

  // ---- subscribers ----

  /** Records the process of a subscriber, and the path. */
  public void isTakenBy(StreamEntry stream, SimHost process, String path) {
    stream.taker = process;
    stream.taken = true;
    stream.path = path;
    endOfGone(stream);
  }

  /** Records that a subscriber requests items. */
  public void requested(StreamEntry stream, long number) {
    stream.requested = sum(stream.requested, number);
  }

  /** Records that a subscriber requests no more items. */
  public void left(StreamEntry stream) {
    stream.left = true;
  }

  /** Records the arrival of an item, and checks it. */
  public void received(StreamEntry stream, int index, boolean whole, long bytes) {
    if (stream.takerGone) {
      return;
    }
    if (index != stream.received) {
      broken(stream, "items arrive in order, each once", "item " + index + " arrived");
    }
    stream.received++;
    if (stream.isTaken()) {
      broken(stream, "no item follows the end of a stream", "item " + index + " arrived");
    }
    if (stream.received > stream.requested) {
      broken(stream, "subscribers get only requested items", "item " + index + " arrived");
    }
    if (stream.received > stream.sent) {
      broken(stream, "only items that were sent arrive", "item " + index + " arrived");
    }
    if (!whole) {
      broken(stream, "items arrive whole and unaltered", "item " + index + " did not");
    }
    if (bytes >= LARGE) {
      coverage.add(cell(stream.kind, Met.LARGE));
    }
  }

  /** Records that a subscriber cancels its stream. */
  public void cancelled(StreamEntry stream, String path) {
    if (!stream.isTaken()) {
      stream.subscriber = Ending.CANCELLED;
      ends(stream, Met.CANCELLED, path);
    }
  }

  /**
   * Records the end of a stream at its subscriber.
   *
   * @param path the current path of its session
   * @param bounded whether the deadline ends the stream at once
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
        broken(stream, "streams complete after all items have arrived", "it completed");
      }
    } else if (failure instanceof RpcException rpc) {
      failed(stream, rpc, path, bounded);
    } else {
      broken(stream, "streams fail with declared exceptions", failure.toString());
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
          // The result's end is told to its subscriber a little later, on another thread.
          case UNAVAILABLE -> !calm || closing || stream.mayBeOver() || mayEndBeforeResult(stream);
          // The deadline of the call passed at one end, which told the other before its deadline.
          case CANCELLED ->
              !calm
                  || closing
                  || stream.mayBeOver()
                  || late >= -EARLY_NANOS
                  || mayEndBeforeResult(stream);
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

  /** Arguments end with the result of their call. At the end of the run that is checked. */
  private boolean mayEndBeforeResult(StreamEntry stream) {
    return stream.answers != stream && early.add(stream);
  }

  private static Met met(RpcStatus status) {
    return switch (status) {
      case DEADLINE_EXCEEDED -> Met.OUT_OF_TIME;
      case PERMISSION_DENIED, INTERNAL -> Met.FAILED;
      default -> Met.LOST;
    };
  }

  // ---- events ----

  /** Records that the call of a stream has ended, which the stream must not outlive. */
  public void over(StreamEntry stream) {
    stream.over = true;
  }

  /** Records that a process was killed. Its ends get no more events, but the other ends must. */
  public void processIsGone(SimHost process) {
    gone.add(process);
    streams.forEach(this::endOfGone);
  }

  private void endOfGone(StreamEntry stream) {
    stream.senderGone |= gone.contains(stream.sender);
    stream.takerGone |= gone.contains(stream.taker);
    stream.lost |= stream.senderGone || stream.takerGone;
  }

  /** Records a fault between two hosts, which all streams between them meet. */
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

  /** Records that all sessions are closed, so that no stream continues. */
  public void closing() {
    closing = true;
    for (StreamEntry stream : early) {
      if (!stream.mayBeOver() && !stream.answers.isTaken()) {
        broken(
            stream,
            "streams fail for a reason",
            "it ended, while the stream that its call returns continues");
      }
    }
  }

  /** Returns whether an end of a stream waits for an event. Called at each step of a run. */
  public boolean hasOpenOnes() {
    for (int i = 0; i < streams.size(); i++) {
      if (isOpen(streams.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Describes the streams of which an end waits for an event. */
  public List<String> openOnes() {
    return streams.stream().filter(this::isOpen).map(StreamEntry::toString).toList();
  }

  private boolean isOpen(StreamEntry stream) {
    boolean open = closing ? stream.isTaking() || stream.isPublishing() : stream.isOpen();
    return open && !journal.isExempt(stream.call.session);
  }

  /** Returns the number of streams that a process may still have to send. */
  public long sentBy(SimHost process) {
    return streams.stream()
        .filter(
            stream -> stream.sender == process && !stream.isTaken() && !stream.lost && !stream.over)
        .count();
  }
}
