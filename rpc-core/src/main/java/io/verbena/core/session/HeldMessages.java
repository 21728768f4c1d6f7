package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.PartTable;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.CallFrames;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.memory.MemoryBudget;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the peer's that wait for the values beside them. What comes behind them does not
 * wait: a call takes its place in the order of dispatch when it is whole.
 */
final class HeldMessages {
  private final SessionCore session;
  private final IncomingFrames frames;
  private final MemoryBudget memory;
  private final Long2ObjectHashMap<Held> requests = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<Held> replies = new Long2ObjectHashMap<>();

  /** One that waits. */
  private static final class Held {
    final FrameKind kind;
    final long callId;
    final byte[] body;
    final long sinceNanos;

    Held(FrameKind kind, long callId, byte[] body, long sinceNanos) {
      this.kind = kind;
      this.callId = callId;
      this.body = body;
      this.sinceNanos = sinceNanos;
    }

    boolean isRequest() {
      return kind == FrameKind.REQUEST || kind == FrameKind.ONEWAY;
    }
  }

  HeldMessages(SessionCore session, IncomingFrames frames) {
    this.session = session;
    this.frames = frames;
    this.memory = session.context().assemblies();
  }

  /**
   * Keeps a copy of a message until it is whole; returns how the peer broke the protocol, or null.
   */
  @Nullable String take(FrameKind kind, long callId, ByteBuffer buffer, int from, int to) {
    int end = tableAt(buffer, from, to);
    WireDecoder in = session.decoder();
    in.start(buffer, end, to - Integer.BYTES, session.limits().maxDepth());
    PartTable table = PartTable.read(in);
    return switch (kind) {
      case REQUEST, ONEWAY -> request(kind, callId, buffer, from, end, table);
      case RESULT, DECLARED_ERROR -> reply(kind, callId, buffer, from, end, table);
      default -> kind + " with values beside it";
    };
  }

  private static int tableAt(ByteBuffer buffer, int from, int to) {
    int room = to - from - Integer.BYTES;
    int length = room < 0 ? 0 : buffer.getInt(to - Integer.BYTES);
    if (length < 1 || length > room) {
      throw new WireException("a table of " + length + " bytes in a message of " + (to - from));
    }
    return to - Integer.BYTES - length;
  }

  private @Nullable String request(
      FrameKind kind, long callId, ByteBuffer buffer, int from, int end, PartTable table) {
    if (end - from <= CallFrames.FIXED_BYTES) {
      return "a request without a method";
    }
    if (requests.size() >= session.limits().maxCalls()) {
      return "more than " + session.limits().maxCalls() + " calls at once";
    }
    if (requests.containsKey(callId)) {
      return "call " + callId + " twice";
    }
    session.transfers().calls().requested(callId);
    long left = CallFrames.remainingNanos(buffer, from);
    hold(kind, callId, buffer, from, end, table, Duration.ofNanos(Math.max(1, left)));
    return null;
  }

  private @Nullable String reply(
      FrameKind kind, long callId, ByteBuffer buffer, int from, int end, PartTable table) {
    if (!session.outgoingCalls().mayBeAnswered(callId) || replies.containsKey(callId)) {
      return "a reply to call " + callId + ", which was not made";
    }
    if (session.outgoingCalls().isGivenUp(callId)) {
      String why = "its call was given up";
      session.transfers().calls().refuseParts(callId, false, RpcStatus.CANCELLED, why);
      session.outgoingCalls().replyIncomplete(callId, RpcStatus.CANCELLED, why);
      return null;
    }
    hold(kind, callId, buffer, from, end, table, null);
    return null;
  }

  private void hold(
      FrameKind kind,
      long callId,
      ByteBuffer buffer,
      int from,
      int end,
      PartTable table,
      @Nullable Duration timeout) {
    boolean fits = memory.reserve(end - from);
    byte[] body = new byte[fits ? end - from : 0];
    Held held = new Held(kind, callId, body, session.loop().now());
    (held.isRequest() ? requests : replies).put(callId, held);
    String call = "call " + callId;
    if (!fits) {
      String why =
          "a message of " + (end - from) + " bytes found no memory: raise maxAssemblyBytes";
      session
          .transfers()
          .calls()
          .refuseParts(callId, held.isRequest(), RpcStatus.RESOURCE_EXHAUSTED, why);
      incomplete(held, RpcStatus.RESOURCE_EXHAUSTED, why);
      return;
    }
    buffer.get(from, body);
    session
        .transfers()
        .calls()
        .receiveParts(
            callId,
            held.isRequest(),
            call,
            table,
            memory,
            timeout,
            values -> whole(held, values),
            (status, why) -> incomplete(held, status, why));
  }

  private boolean leaves(Held held) {
    if (!(held.isRequest() ? requests : replies).remove(held.callId, held)) {
      return false;
    }
    memory.release(held.body.length);
    return true;
  }

  private void whole(Held held, MemorySegment[] values) {
    if (!leaves(held)) {
      return;
    }
    ByteBuffer body = ByteBuffer.wrap(held.body);
    if (held.isRequest()) {
      CallFrames.elapsed(body, 0, session.loop().now() - held.sinceNanos);
    }
    frames.deliver(held.kind, held.callId, body, values);
  }

  private void incomplete(Held held, RpcStatus status, String why) {
    if (leaves(held)) {
      if (held.isRequest()) {
        session.incomingCalls().refuse(held.kind, held.callId, status, why);
      } else {
        session.outgoingCalls().replyIncomplete(held.callId, status, why);
      }
    }
  }

  /** Forgets all: there is no peer any more. */
  void clear() {
    requests.values().forEach(held -> memory.release(held.body.length));
    replies.values().forEach(held -> memory.release(held.body.length));
    requests.clear();
    replies.clear();
  }
}
