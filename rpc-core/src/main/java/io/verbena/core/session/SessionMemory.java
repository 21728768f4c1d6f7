package io.verbena.core.session;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotShare;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * One session's shares of the memory that all sessions of a client or server share, and the peer's
 * messages that arrive in it. If an arriving message stops and others need the memory that it uses
 * beyond this session's part, it is ended. A slow peer may continue; see {@link Progress}. On the
 * loop, except the shares.
 */
public final class SessionMemory implements Timers.Timer {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private static final String STALLED =
      "it made hardly any progress for "
          + LONGEST.toSeconds()
          + " s while others needed its memory";

  private final EventLoop loop;
  private final Participants participants;

  /** The slots in which callers encode. */
  public final SlotShare slots;

  private final Map<Memory, Quota.Share> shares = new EnumMap<>(Memory.class);

  /** Assembles long messages. */
  final Inbox inbox;

  private boolean watching;
  private boolean left;

  /**
   * Joins the sessions that share memory.
   *
   * @param peer returns the name of the other end; for any thread
   * @param participants have arriving messages, too
   */
  SessionMemory(SessionContext context, Supplier<String> peer, Participants participants) {
    this.loop = context.loop();
    this.participants = participants;
    Quotas quotas = context.quotas();
    Quota.Holder patient = new Member(peer, () -> {});
    Quota.Holder receiving = new Member(peer, () -> loop.execute(this::watch));
    for (Memory memory : Memory.values()) {
      shares.put(memory, quotas.of(memory).join(memory.isForArrivals() ? receiving : patient));
    }
    this.slots = new SlotShare(context.slots(), share(Memory.SLOTS));
    this.inbox = new Inbox(context.limits().maxMessageBytes(), share(Memory.ASSEMBLY));
  }

  /** Returns the session's share of one kind of memory. */
  public Quota.Share share(Memory memory) {
    return Objects.requireNonNull(shares.get(memory));
  }

  private record Member(Supplier<String> name, Runnable whenWanted) implements Quota.Holder {
    @Override
    public String peer() {
      return name.get();
    }

    @Override
    public void wanted() {
      whenWanted.run();
    }
  }

  /** Others need the memory of arriving messages. */
  private void watch() {
    if (!watching && !left) {
      watching = true;
      inbox.mark();
      participants.forEach(Participant::markArrivals);
      loop.timers().schedule(loop.clock().nanoTime() + LONGEST.toNanos(), this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    watching = false;
    if (share(Memory.ASSEMBLY).isBeyondGuaranteed()) {
      inbox.dropStalled(STALLED);
    }
    if (shares.entrySet().stream()
        .anyMatch(one -> one.getKey().isForArrivals() && one.getValue().isBeyondGuaranteed())) {
      participants.forEach(one -> one.endStalled(STALLED));
    }
  }

  void leave() {
    left = true;
    shares.values().forEach(Quota.Share::leave);
  }
}
