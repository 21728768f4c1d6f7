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
 * What one session has of the memory that all of a client or server share, and what of the peer's
 * arrives in it. What has stopped in the middle ends, where others want the memory that it has
 * taken beyond this session's part. A peer that is slow may go on: see {@link Progress}. On the
 * loop, but the shares.
 */
public final class SessionMemory implements Timers.Timer {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private static final String STALLED =
      "it brought nothing, or hardly anything, for "
          + LONGEST.toSeconds()
          + " s while others wanted the memory that it held";

  private final EventLoop loop;
  private final Participants participants;
  private final SlotShare slots;
  private final Quota.Share assemblies;
  private final Quota.Share values;
  private final Quota.Share replies;
  private final Inbox inbox;
  private boolean watching;
  private boolean left;

  /**
   * Joins those that share.
   *
   * @param peer says who the other end is; for any thread
   * @param participants have arrivals too
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

  /** Returns where its callers encode. */
  public SlotShare slots() {
    return slots;
  }

  /** Returns what its peer's messages and arrays take while they arrive. */
  public Quota.Share assemblies() {
    return assemblies;
  }

  /**
   * Returns what its peer's large values and objects take outside the heap while they arrive, and
   * what is read ahead of objects that it is sent.
   */
  public Quota.Share values() {
    return values;
  }

  /** Returns what its peer's results take until it has taken them. */
  public Quota.Share replies() {
    return replies;
  }

  /** Returns where long messages are put together. */
  Inbox inbox() {
    return inbox;
  }

  /** Others want memory that arrivals have. */
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

  /** The session is over. */
  void leave() {
    left = true;
    slots.close();
    assemblies.leave();
    values.leave();
    replies.leave();
  }
}
