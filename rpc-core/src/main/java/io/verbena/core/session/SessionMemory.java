package io.verbena.core.session;

import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.memory.SlotShare;
import java.util.function.Supplier;

/**
 * What one session has of the memory that all of a client or server share.
 *
 * @param slots where its callers encode
 * @param assemblies what its peer's messages and arrays take while they arrive
 * @param values what its peer's large values and objects take outside the heap while they arrive,
 *     and what is read ahead of objects that it is sent
 * @param replies what its peer's results take until it has taken them
 */
public record SessionMemory(
    SlotShare slots, Quota.Share assemblies, Quota.Share values, Quota.Share replies) {
  /**
   * Joins those that share.
   *
   * @param peer says who the other end is; for any thread
   * @param arrivalsWanted hears that others want memory which arrivals have; on any thread
   */
  static SessionMemory join(
      Quotas quotas, SlotPool pool, Supplier<String> peer, Runnable arrivalsWanted) {
    Quota.Holder patient = new Member(peer, () -> {});
    Quota.Holder receiving = new Member(peer, arrivalsWanted);
    return new SessionMemory(
        new SlotShare(pool, quotas.slots().join(patient)),
        quotas.assemblies().join(receiving),
        quotas.values().join(receiving),
        quotas.replies().join(patient));
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

  /** The session is over. */
  void leave() {
    slots.close();
    assemblies.leave();
    values.leave();
    replies.leave();
  }
}
