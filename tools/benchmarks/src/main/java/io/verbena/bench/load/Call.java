package io.verbena.bench.load;

import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that is made again and again, one at a time, without allocations. Its loop owns it until
 * the start, then its contestant until the end.
 */
public final class Call {
  private final Load load;
  private final Recording recording;
  private final Consumer<Call> onEnd;
  private final Semaphore ended = new Semaphore(0);

  /** Made on first use, because loads of objects need no message. */
  private byte @Nullable [] message;

  private final byte @Nullable [] expected;
  private final int replyBytes;
  private long number;
  private long due;

  /**
   * Makes a call of a load.
   *
   * @param onEnd runs on the thread that ends the call; null for calls with a waiting caller
   */
  Call(Load load, Recording recording, @Nullable Consumer<Call> onEnd) {
    this.load = load;
    this.recording = recording;
    this.onEnd = onEnd == null ? call -> ended.release() : onEnd;
    this.replyBytes = load.kind().replyBytes(load.size());
    this.expected =
        load.validate() && replyBytes > Kind.NUMBER_BYTES ? Messages.of(replyBytes) : null;
  }

  /** Prepares the call with its due time and its number. It may start later. */
  Call due(long nanos, long callNumber) {
    due = nanos;
    number = callNumber;
    return this;
  }

  public Load load() {
    return load;
  }

  /** Returns the message with its number. Callers must not change it. */
  public byte[] message() {
    if (message == null) {
      message = Messages.of(load.kind().requestBytes(load.size()));
    }
    Messages.number(message, number);
    return message;
  }

  /** Returns the number that the answer must have. */
  public long number() {
    return number;
  }

  /** Ends the call, and checks its answer. */
  public void answered(byte[] answer) {
    if (answer.length != replyBytes) {
      failed(new WrongAnswer("has " + answer.length + " bytes instead of " + replyBytes));
      return;
    }
    int wrong = expected == null ? -1 : Messages.difference(expected, answer);
    if (wrong >= 0) {
      failed(new WrongAnswer("differs from the sent message from byte " + wrong));
      return;
    }
    answered(Messages.number(answer));
  }

  /** Ends the call, and checks only the number of its answer. */
  public void answered(long answerNumber) {
    if (answerNumber != number) {
      failed(new WrongAnswer("has number " + answerNumber + " instead of " + number));
      return;
    }
    recording.ended(due);
    onEnd.accept(this);
  }

  /** Ends a call that gets no answer. */
  public void failed(Throwable failure) {
    recording.failed(failure);
    onEnd.accept(this);
  }

  /** Waits until the call has ended. */
  void await() throws InterruptedException {
    ended.acquire();
  }

  private static final class WrongAnswer extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    WrongAnswer(String how) {
      super("an answer " + how);
    }
  }
}
