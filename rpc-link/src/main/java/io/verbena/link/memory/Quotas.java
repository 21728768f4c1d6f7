package io.verbena.link.memory;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The quotas that the sessions of one client or server share, one for each kind of memory. */
public final class Quotas {
  /** The number of slots that each session has for itself, for any number of sessions. */
  private static final int LEAST_SLOTS = 8;

  /**
   * The number of bytes for each session, for any number of sessions: room for the longest frame.
   */
  private static final int LEAST_BYTES = 64 << 10;

  private final Map<Memory, Quota> quotas = new EnumMap<>(Memory.class);

  /**
   * Makes quotas that are all free.
   *
   * @param limits one for each kind, in bytes; but for {@link Memory#SLOTS} a number of slots
   */
  public Quotas(Map<Memory, Long> limits) {
    for (Memory memory : Memory.values()) {
      long limit = Objects.requireNonNull(limits.get(memory));
      long least = memory == Memory.SLOTS ? LEAST_SLOTS : Math.min(limit / 2, LEAST_BYTES);
      quotas.put(memory, new Quota(limit, least));
    }
  }

  /** Returns the quota of one kind of memory. */
  public Quota of(Memory memory) {
    return Objects.requireNonNull(quotas.get(memory));
  }
}
