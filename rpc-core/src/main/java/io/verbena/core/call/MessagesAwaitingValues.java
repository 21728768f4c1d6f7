package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.parts.LargeValueTable;
import io.verbena.core.bulk.transfer.LargeValuesIn;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.TimeLeft;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
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
final class MessagesAwaitingValues implements Participant {
  private final SessionImpl session;
  private final Calls shared;
  private final Quota.Share memory;
  private final Long2ObjectHashMap<Held> requests = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<Held> replies = new Long2ObjectHashMap<>();

  /** One that waits. */
  private static final class Held {
    final Message message;
    final long sinceNanos;
    final Progress progress = new Progress();
    @Nullable LargeValuesIn values;

    Held(Message message, long sinceNanos) {
      this.message = message;
      this.sinceNanos = sinceNanos;
    }

    boolean isRequest() {
      return message.kind() == FrameKind.REQUEST || message.kind() == FrameKind.ONEWAY;
    }
  }

  MessagesAwaitingValues(Calls shared) {
    this.session = shared.session;
    this.shared = shared;
    this.memory = session.memory().assemblies();
  }

  /**
   * Keeps a copy of a message until it is whole; returns how the peer broke the protocol, or null.
   */
  @Override
  public @Nullable String take(Message message) {
    ByteBuffer buffer = message.buffer();
    int end = tableAt(buffer, message.from(), message.to());
    WireDecoder in = shared.decoder;
    in.start(buffer, end, message.to() - Integer.BYTES, shared.limits.maxDepth());
    LargeValueTable table = LargeValueTable.read(in);
    return switch (message.kind()) {
      case REQUEST, ONEWAY -> request(message, end, table);
      case RESULT, DECLARED_ERROR -> reply(message, end, table);
      default -> message.kind() + " with values beside it";
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

  private @Nullable String request(Message message, int end, LargeValueTable table) {
    long callId = message.callId();
    if (requests.size() >= shared.limits.maxCalls()) {
      return "more than " + shared.limits.maxCalls() + " calls at once";
    }
    if (requests.containsKey(callId)) {
      return "call " + callId + " twice";
    }
    shared.objects.requested(callId);
    hold(message, end, table, Duration.ofNanos(Math.max(1, TimeLeft.nanos(message.timeLeft()))));
    return null;
  }

  private @Nullable String reply(Message message, int end, LargeValueTable table) {
    long callId = message.callId();
    if (!shared.outgoing.mayBeAnswered(callId) || replies.containsKey(callId)) {
      return "a reply to call " + callId + ", which was not made";
    }
    if (shared.outgoing.isGivenUp(callId)) {
      String why = "its call was given up";
      shared.objects.refuseParts(callId, false, RpcStatus.CANCELLED, why);
      shared.outgoing.replyIncomplete(callId, RpcStatus.CANCELLED, why);
      return null;
    }
    hold(message, end, table, null);
    return null;
  }

  private void hold(Message message, int end, LargeValueTable table, @Nullable Duration timeout) {
    int length = end - message.from();
    boolean fits = memory.take(length);
    byte[] body = new byte[fits ? length : 0];
    Held held = new Held(message.waiting(body), shared.loop.now());
    long callId = message.callId();
    (held.isRequest() ? requests : replies).put(callId, held);
    if (!fits) {
      String why = "its message: " + memory.refusal(length, "maxAssemblyBytes");
      memory.quota().want();
      RpcStatus status =
          memory.mayEverTake(length) ? RpcStatus.RESOURCE_EXHAUSTED : RpcStatus.INVALID_ARGUMENT;
      shared.objects.refuseParts(callId, held.isRequest(), status, why);
      incomplete(held, status, why);
      return;
    }
    message.buffer().get(message.from(), body);
    held.values =
        shared.objects.receiveParts(
            callId,
            held.isRequest(),
            "call " + callId,
            table,
            memory,
            session.memory().values(),
            held.isRequest() ? null : shared.outgoing.resultsIn(callId),
            timeout,
            (values, free) -> whole(held, values, free),
            (status, why) -> incomplete(held, status, why));
  }

  @Override
  public boolean isBusy() {
    return !requests.isEmpty();
  }

  private boolean leaves(Held held) {
    return (held.isRequest() ? requests : replies).remove(held.message.callId(), held);
  }

  private void whole(Held held, MemorySegment[] values, Runnable free) {
    if (!leaves(held)) {
      free.run();
      return;
    }
    Message message = held.message;
    int length = message.length();
    message.whole(
        values,
        TimeLeft.after(message.timeLeft(), shared.loop.now() - held.sinceNanos),
        () -> {
          memory.give(length);
          free.run();
        });
    session.deliver(message);
  }

  private void incomplete(Held held, RpcStatus status, String why) {
    if (leaves(held)) {
      memory.give(held.message.length());
      if (held.isRequest()) {
        shared.incoming.refuse(held.message.kind(), held.message.callId(), status, why);
      } else {
        // What has no room here is no fault of this end's own arguments.
        RpcStatus here =
            status == RpcStatus.INVALID_ARGUMENT ? RpcStatus.RESOURCE_EXHAUSTED : status;
        shared.outgoing.replyIncomplete(held.message.callId(), here, why);
      }
    }
  }

  @Override
  public void markArrivals() {
    for (Held one : all()) {
      if (one.values != null) {
        one.progress.mark(one.values.arrived());
      }
    }
  }

  @Override
  public void endStalled(String why) {
    for (Held one : all()) {
      LargeValuesIn values = one.values;
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

  @Override
  public void peerLost(String reason) {
    clear();
  }

  @Override
  public void ended(RpcStatus status, String reason) {
    clear();
  }

  private void clear() {
    for (Held held : requests.values()) {
      memory.give(held.message.length());
      if (held.message.kind() == FrameKind.ONEWAY) {
        shared.incoming.oneways().drop("its values had not arrived when its peer was lost");
      }
    }
    replies.values().forEach(held -> memory.give(held.message.length()));
    requests.clear();
    replies.clear();
  }
}
