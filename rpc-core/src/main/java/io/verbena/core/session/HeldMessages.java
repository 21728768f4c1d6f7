package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.parts.PartTable;
import io.verbena.core.bulk.transfer.ArrivingParts;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.TimeLeft;
import io.verbena.core.memory.Progress;
import io.verbena.core.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the peer's that wait for the values beside them. What comes behind them does not
 * wait: a call takes its place in the order of dispatch when it is whole.
 */
final class HeldMessages {
  private final SessionCore session;
  private final IncomingFrames frames;
  private final Quota.Share memory;
  private final Long2ObjectHashMap<Held> requests = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<Held> replies = new Long2ObjectHashMap<>();

  /** One that waits. */
  private static final class Held {
    final FrameKind kind;
    final int flags;
    final int timeLeft;
    final long call;
    final byte[] body;
    final long sinceNanos;
    final Progress progress = new Progress();
    @Nullable ArrivingParts values;

    Held(FrameKind kind, int flags, int timeLeft, long call, byte[] body, long sinceNanos) {
      this.kind = kind;
      this.flags = flags;
      this.timeLeft = timeLeft;
      this.call = call;
      this.body = body;
      this.sinceNanos = sinceNanos;
    }

    long callId() {
      return FrameHeader.callId(call);
    }

    boolean isRequest() {
      return kind == FrameKind.REQUEST || kind == FrameKind.ONEWAY;
    }
  }

  HeldMessages(SessionCore session, IncomingFrames frames) {
    this.session = session;
    this.frames = frames;
    this.memory = session.memory().assemblies();
  }

  /**
   * Keeps a copy of a message until it is whole; returns how the peer broke the protocol, or null.
   */
  @Nullable String take(
      FrameKind kind, int flags, int timeLeft, long call, ByteBuffer buffer, int from, int to) {
    int end = tableAt(buffer, from, to);
    WireDecoder in = session.decoder();
    in.start(buffer, end, to - Integer.BYTES, session.limits().maxDepth());
    PartTable table = PartTable.read(in);
    return switch (kind) {
      case REQUEST, ONEWAY -> request(kind, flags, timeLeft, call, buffer, from, end, table);
      case RESULT, DECLARED_ERROR -> reply(kind, flags, call, buffer, from, end, table);
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
      FrameKind kind,
      int flags,
      int timeLeft,
      long call,
      ByteBuffer buffer,
      int from,
      int end,
      PartTable table) {
    long callId = FrameHeader.callId(call);
    if (requests.size() >= session.limits().maxCalls()) {
      return "more than " + session.limits().maxCalls() + " calls at once";
    }
    if (requests.containsKey(callId)) {
      return "call " + callId + " twice";
    }
    session.transfers().calls().requested(callId);
    Duration timeout = Duration.ofNanos(Math.max(1, TimeLeft.nanos(timeLeft)));
    hold(kind, flags, timeLeft, call, buffer, from, end, table, timeout);
    return null;
  }

  private @Nullable String reply(
      FrameKind kind, int flags, long call, ByteBuffer buffer, int from, int end, PartTable table) {
    long callId = FrameHeader.callId(call);
    if (!session.outgoingCalls().mayBeAnswered(callId) || replies.containsKey(callId)) {
      return "a reply to call " + callId + ", which was not made";
    }
    if (session.outgoingCalls().isGivenUp(callId)) {
      String why = "its call was given up";
      session.transfers().calls().refuseParts(callId, false, RpcStatus.CANCELLED, why);
      session.outgoingCalls().replyIncomplete(callId, RpcStatus.CANCELLED, why);
      return null;
    }
    hold(kind, flags, TimeLeft.UNTOLD, call, buffer, from, end, table, null);
    return null;
  }

  private void hold(
      FrameKind kind,
      int flags,
      int timeLeft,
      long call,
      ByteBuffer buffer,
      int from,
      int end,
      PartTable table,
      @Nullable Duration timeout) {
    boolean fits = memory.take(end - from);
    byte[] body = new byte[fits ? end - from : 0];
    Held held = new Held(kind, flags, timeLeft, call, body, session.loop().now());
    long callId = held.callId();
    (held.isRequest() ? requests : replies).put(callId, held);
    if (!fits) {
      String why = "its message: " + memory.refusal(end - from, "maxAssemblyBytes");
      memory.quota().want();
      RpcStatus status =
          memory.mayEverTake(end - from)
              ? RpcStatus.RESOURCE_EXHAUSTED
              : RpcStatus.INVALID_ARGUMENT;
      session.transfers().calls().refuseParts(callId, held.isRequest(), status, why);
      incomplete(held, status, why);
      return;
    }
    buffer.get(from, body);
    held.values =
        session
            .transfers()
            .calls()
            .receiveParts(
                callId,
                held.isRequest(),
                "call " + callId,
                table,
                memory,
                session.memory().values(),
                held.isRequest() ? null : session.outgoingCalls().resultsIn(callId),
                timeout,
                (values, free) -> whole(held, values, free),
                (status, why) -> incomplete(held, status, why));
  }

  /** Returns whether calls of the peer's wait here. */
  boolean holdsRequests() {
    return !requests.isEmpty();
  }

  private boolean leaves(Held held) {
    return (held.isRequest() ? requests : replies).remove(held.callId(), held);
  }

  private void whole(Held held, MemorySegment[] values, Runnable free) {
    if (!leaves(held)) {
      free.run();
      return;
    }
    int left = TimeLeft.after(held.timeLeft, session.loop().now() - held.sinceNanos);
    ByteBuffer body = ByteBuffer.wrap(held.body);
    frames.deliver(
        held.kind,
        held.flags,
        left,
        held.call,
        body,
        values,
        () -> {
          memory.give(body.capacity());
          free.run();
        });
  }

  private void incomplete(Held held, RpcStatus status, String why) {
    if (leaves(held)) {
      memory.give(held.body.length);
      if (held.isRequest()) {
        session.incomingCalls().refuse(held.kind, held.callId(), status, why);
      } else {
        // What has no room here is no fault of this end's own arguments.
        RpcStatus here =
            status == RpcStatus.INVALID_ARGUMENT ? RpcStatus.RESOURCE_EXHAUSTED : status;
        session.outgoingCalls().replyIncomplete(held.callId(), here, why);
      }
    }
  }

  /** Notes how far the values are. */
  void mark() {
    for (Held one : all()) {
      if (one.values != null) {
        one.progress.mark(one.values.arrived());
      }
    }
  }

  /** Ends those whose values are where they were marked. */
  void endStalled(String why) {
    for (Held one : all()) {
      ArrivingParts values = one.values;
      if (values != null && one.progress.hasStopped(values.arrived(), values.takes())) {
        values.fail(RpcStatus.RESOURCE_EXHAUSTED, why);
      }
    }
  }

  private List<Held> all() {
    List<Held> all = new ArrayList<>(requests.values());
    all.addAll(replies.values());
    return all;
  }

  /** Forgets all: there is no peer any more. */
  void clear() {
    for (Held held : requests.values()) {
      memory.give(held.body.length);
      if (held.kind == FrameKind.ONEWAY) {
        session.incomingCalls().oneways().drop("its values had not arrived when its peer was lost");
      }
    }
    replies.values().forEach(held -> memory.give(held.body.length));
    requests.clear();
    replies.clear();
  }
}
