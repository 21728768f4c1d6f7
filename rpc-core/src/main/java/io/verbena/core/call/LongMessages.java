package io.verbena.core.call;

import io.verbena.codec.WireDecoder;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Quota;
import io.verbena.link.runtime.OwnThreads;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Long messages of one session's peer. What it costs to read one is for the peer to choose (records
 * whose hashes are equal, a user's own constructors), so a thread beside the loop reads them: one
 * message at a time, in the order in which they came, however many there are. On the loop.
 */
final class LongMessages {
  /** A message whose arguments, or outcome, take more bytes is a long one. */
  static final int LONGEST_SHORT = 8 << 10;

  private final SessionImpl session;
  private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
  private boolean busy;

  /** A message's body that its receiver keeps. */
  static final class Body {
    private final ByteBuffer buffer;
    private final int from;
    private final int to;
    private final MemorySegment @Nullable [] values;
    private final Runnable free;

    /**
     * Such a body.
     *
     * @param values what came beside it
     * @param free gives back the memory that it is counted in
     */
    Body(ByteBuffer buffer, int from, int to, MemorySegment @Nullable [] values, Runnable free) {
      this.buffer = buffer;
      this.from = from;
      this.to = to;
      this.values = values;
      this.free = free;
    }

    /** Returns what gives back the memory that it is counted in. */
    Runnable free() {
      return free;
    }
  }

  private record Turn(
      Body body,
      BooleanSupplier unwanted,
      Consumer<WireDecoder> reads,
      Consumer<@Nullable Throwable> then) {}

  LongMessages(SessionImpl session) {
    this.session = session;
  }

  /**
   * Keeps a message's body for longer than the message lasts.
   *
   * @param to where what is to be read of it ends
   * @return null if there is no memory for it
   */
  @Nullable Body keep(Message message, int to) {
    Runnable counted = message.takeMemory();
    if (counted != null) {
      return new Body(message.buffer(), message.from(), to, message.values(), counted);
    }
    Quota.Share share = session.memory().assemblies();
    int length = to - message.from();
    if (!share.take(length)) {
      return null;
    }
    try {
      byte[] copy = new byte[length];
      message.buffer().get(message.from(), copy);
      Runnable free = () -> share.give(length);
      return new Body(ByteBuffer.wrap(copy), 0, length, message.values(), free);
    } catch (OutOfMemoryError e) {
      share.give(length);
      throw e;
    }
  }

  /**
   * Has a message read.
   *
   * @param unwanted whether nobody waits for it any more, so that it need not be read to its end
   * @param reads on a thread of its own
   * @param then hears on the loop what that threw, or null
   */
  void read(
      Body body,
      BooleanSupplier unwanted,
      Consumer<WireDecoder> reads,
      Consumer<@Nullable Throwable> then) {
    waiting.add(new Turn(body, unwanted, reads, then));
    goOn();
  }

  private void goOn() {
    Turn next = busy ? null : waiting.poll();
    if (next == null) {
      return;
    }
    busy = true;
    OwnThreads.hand(
        session.context().workers().readers(),
        () -> {
          read(next);
          session.loop().execute(() -> ended(next, null));
        },
        thrown -> session.loop().execute(() -> ended(next, thrown)));
  }

  private void read(Turn turn) {
    Body body = turn.body;
    WireDecoder in = new WireDecoder();
    in.endWhen(turn.unwanted);
    in.start(body.buffer, body.from, body.to, session.limits().maxDepth());
    in.parts(body.values);
    turn.reads.accept(in);
  }

  private void ended(Turn turn, @Nullable Throwable thrown) {
    busy = false;
    try {
      turn.then.accept(thrown);
    } finally {
      goOn();
    }
  }
}
