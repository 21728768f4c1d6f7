package io.verbena.core.call;

import io.verbena.codec.Compression;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import io.verbena.link.runtime.OwnThreads;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The long messages of one session's peer. The peer determines the cost of reading one, for
 * instance by records with equal hashes or by the user's own constructors. So a thread beside the
 * loop reads them, one message at a time, in the order of arrival. On the loop.
 */
final class LongMessages {
  /**
   * The largest length of a short message's arguments or outcome. A compressed message may be long
   * even if it is shorter.
   */
  static final int LONGEST_SHORT = 8 << 10;

  private final SessionImpl session;
  private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
  private boolean busy;

  /**
   * A message's body that its receiver keeps.
   *
   * @param buffer holds it
   * @param values the large values beside it; null if there are none
   * @param compression expands it; null if it is not compressed
   * @param free releases the memory that it counts for
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Body(
      ByteBuffer buffer,
      int from,
      int to,
      MemorySegment @Nullable [] values,
      @Nullable Compression compression,
      Runnable free) {}

  private record Turn(
      Body body,
      BooleanSupplier unwanted,
      Consumer<WireDecoder> reads,
      Consumer<@Nullable Throwable> then) {}

  LongMessages(SessionImpl session) {
    this.session = session;
  }

  /**
   * Keeps a message's body beyond the life of the message.
   *
   * @param to the end of the part to read
   * @return the body; null if there is no memory for it
   */
  @Nullable Body keep(Message message, int to) {
    Quota.Share share = session.memory().share(Memory.ASSEMBLY);
    int announced = announced(message, to);
    if (announced > 0 && !share.take(announced)) {
      share.quota().want();
      return null;
    }
    Body body = null;
    try {
      body = keep(message, to, share, announced, compression(message));
    } finally {
      if (body == null && announced > 0) {
        share.give(announced);
      }
    }
    return body;
  }

  private @Nullable Compression compression(Message message) {
    return message.has(FrameHeader.FLAG_COMPRESSED) ? session.context().compression() : null;
  }

  /** Returns the additional memory for a message after decompression; 0 if it is not compressed. */
  private int announced(Message message, int to) {
    Compression compression = compression(message);
    return compression == null ? 0 : compression.announced(message.buffer(), message.from(), to);
  }

  private static @Nullable Body keep(
      Message message,
      int to,
      Quota.Share share,
      int announced,
      @Nullable Compression compression) {
    Runnable counted = message.takeMemory();
    if (counted != null) {
      Runnable free =
          announced == 0
              ? counted
              : () -> {
                counted.run();
                share.give(announced);
              };
      return new Body(message.buffer(), message.from(), to, message.values(), compression, free);
    }
    int length = to - message.from();
    if (!share.take(length)) {
      return null;
    }
    try {
      byte[] copy = new byte[length];
      message.buffer().get(message.from(), copy);
      Runnable free = () -> share.give((long) length + announced);
      return new Body(ByteBuffer.wrap(copy), 0, length, message.values(), compression, free);
    } catch (OutOfMemoryError e) {
      share.give(length);
      throw e;
    }
  }

  /** Returns the memory for keeping a message. */
  long needed(Message message, int to) {
    return (long) to - message.from() + announced(message, to);
  }

  String refusal(Message message, int to) {
    return session
        .memory()
        .share(Memory.ASSEMBLY)
        .refusal(needed(message, to), Memory.ASSEMBLY.setting());
  }

  /**
   * Reads a message.
   *
   * @param unwanted returns whether the message is no longer wanted, so that reading can stop
   * @param reads reads it, on a thread beside the loop
   * @param then receives the exception of that, or null, on the loop
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
    Compression compression = body.compression;
    if (compression != null) {
      if (turn.unwanted.getAsBoolean()) {
        return;
      }
      byte[] plain = compression.expand(body.buffer, body.from, body.to);
      in.start(ByteBuffer.wrap(plain), 0, plain.length, session.limits().maxDepth());
    } else {
      in.start(body.buffer, body.from, body.to, session.limits().maxDepth());
    }
    in.largeValues(body.values);
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
