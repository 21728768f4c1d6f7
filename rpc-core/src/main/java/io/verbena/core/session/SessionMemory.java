package io.verbena.core.session;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotShare;
import java.time.Duration;
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

  /** The share for arriving messages and arrays. */
  public final Quota.Share assemblies;

  /**
   * The share outside the heap for arriving large values and objects, and for reading ahead of
   * sending objects.
   */
  public final Quota.Share values;

  /** The share for results that the peer has not received yet. */
  public final Quota.Share replies;

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
    this.slots = new SlotShare(context.slots(), quotas.slots().join(patient));
    this.assemblies = quotas.assemblies().join(receiving);
    this.values = quotas.values().join(receiving);
    this.replies = quotas.replies().join(patient);
    this.inbox = new Inbox(context.limits().maxMessageBytes(), assemblies);
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
    if (assemblies.isBeyondGuaranteed()) {
      inbox.dropStalled(STALLED);
    }
    if (assemblies.isBeyondGuaranteed() || values.isBeyondGuaranteed()) {
      participants.forEach(one -> one.endStalled(STALLED));
    }
  }

  void leave() {
    left = true;
    slots.close();
    assemblies.leave();
    values.leave();
    replies.leave();
  }
}
