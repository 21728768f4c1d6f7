package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.IncomingTransfer;
import io.verbena.core.transfer.LargeValueTable;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The peer's messages, either requests or replies, that wait for their large values. Later messages
 * do not wait for them. A call gets its place in the order of dispatch when it is complete.
 */
final class MessagesAwaitingValues implements Participant {
  private final SessionImpl session;
  private final Calls calls;
  private final Quota.Share memory;
  private final boolean requests;
  private final Missing missing;
  private final Consumer<Message> peerLost;
  private final Long2ObjectHashMap<Held> waiting = new Long2ObjectHashMap<>();

  /** Receives messages whose values do not arrive. */
  @FunctionalInterface
  interface Missing {
    void values(Message message, RpcStatus status, String why);
  }

  private static final class Held {
    final Message message;
    final long sinceNanos;
    final Progress progress = new Progress();
    @Nullable IncomingTransfer values;

    Held(Message message, long sinceNanos) {
      this.message = message;
      this.sinceNanos = sinceNanos;
    }
  }

  /**
   * Starts without messages.
   *
   * @param requests whether they are requests, not replies
   * @param peerLost receives the messages of a peer that is gone
   */
  MessagesAwaitingValues(
      Calls calls, boolean requests, Missing missing, Consumer<Message> peerLost) {
    this.session = calls.session;
    this.calls = calls;
    this.requests = requests;
    this.missing = missing;
    this.peerLost = peerLost;
    this.memory = session.memory().share(Memory.ASSEMBLY);
  }

  LargeValueTable table(Message message) {
    ByteBuffer buffer = message.buffer();
    int end = tableAt(buffer, message.from(), message.to());
    WireDecoder in = calls.decoder;
    in.start(buffer, end, message.to() - Integer.BYTES, calls.maxDepth);
    return LargeValueTable.read(in);
  }

  private static int tableAt(ByteBuffer buffer, int from, int to) {
    int room = to - from - Integer.BYTES;
    int length = room < 0 ? 0 : buffer.getInt(to - Integer.BYTES);
    if (length < 1 || length > room) {
      throw new WireException("a table of " + length + " bytes in a message of " + (to - from));
    }
    return to - Integer.BYTES - length;
  }

  boolean has(long callId) {
    return waiting.containsKey(callId);
  }

  int size() {
    return waiting.size();
  }

  /**
   * Keeps a copy of a message until it is complete and delivered.
   *
   * @param resultsIn the arena for its values; null for the heap
   * @param timeout the longest time for its values; null for the life of the session
   */
  void hold(
      Message message,
      LargeValueTable table,
      @Nullable Arena resultsIn,
      @Nullable Duration timeout) {
    int end = tableAt(message.buffer(), message.from(), message.to());
    int length = end - message.from();
    boolean fits = memory.take(length);
    byte[] body = new byte[fits ? length : 0];
    Held held = new Held(message.waiting(body), calls.loop.now());
    long callId = message.callId();
    waiting.put(callId, held);
    if (!fits) {
      String why = "its message: " + memory.refusal(length, Memory.ASSEMBLY.setting());
      memory.quota().want();
      RpcStatus status = Calls.refusal(memory, length);
      calls.objects.refuseLargeValues(callId, requests, status, why);
      incomplete(held, status, why);
      return;
    }
    message.buffer().get(message.from(), body);
    held.values =
        calls.objects.receiveLargeValues(
            callId,
            requests,
            "call " + callId,
            table,
            resultsIn,
            timeout,
            (values, free) -> whole(held, values, free),
            (status, why) -> incomplete(held, status, why));
  }

  @Override
  public boolean isBusy() {
    return requests && !waiting.isEmpty();
  }

  private boolean leaves(Held held) {
    return waiting.remove(held.message.callId(), held);
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
        FrameHeader.timeLeftAfter(message.timeLeft(), calls.loop.now() - held.sinceNanos),
        () -> {
          memory.give(length);
          free.run();
        });
    session.deliver(message);
  }

  private void incomplete(Held held, RpcStatus status, String why) {
    if (leaves(held)) {
      memory.give(held.message.length());
      missing.values(held.message, status, why);
    }
  }

  @Override
  public void markArrivals() {
    for (Held one : waiting.values()) {
      if (one.values != null) {
        one.progress.mark(one.values.confirmed());
      }
    }
  }

  @Override
  public void endStalled(String why) {
    for (Held one : List.copyOf(waiting.values())) {
      IncomingTransfer values = one.values;
      if (values != null && one.progress.hasStopped(values.confirmed(), values.takes())) {
        values.fail(RpcStatus.RESOURCE_EXHAUSTED, why);
      }
    }
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    for (Held held : waiting.values()) {
      memory.give(held.message.length());
      peerLost.accept(held.message);
    }
    waiting.clear();
  }
}
