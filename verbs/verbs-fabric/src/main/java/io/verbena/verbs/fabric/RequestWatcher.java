package io.verbena.verbs.fabric;

/** Observes the requests of a host's device, in the order of their execution. */
@FunctionalInterface
public interface RequestWatcher {
  /**
   * Called when a request was carried out at the peer, before either end sees a completion. It is
   * called under the fabric's lock, so it must not block.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}, except local ones
   * @param bytes the length of the data, inline or not
   */
  void carriedOut(int opcode, long bytes);

  /**
   * Called when a request has entered a send queue, under the fabric's lock. It may not be carried
   * out later.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}, including local ones
   */
  default void posted(int opcode) {}

  /** Called after {@link #posted} for a request that is sent inline, with its length. */
  default void postedInline(long bytes) {}

  /**
   * Called when a request was refused because of a key, its bounds or rights, or the state of a
   * queue pair. It is not called for a request without an answer. Called under the fabric's lock.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}
   * @param status one of {@link io.verbena.verbs.ext.WcStatus}. A request without a posted receive
   *     has {@code RNR_RETRY_EXC_ERR}, even if it is repeated
   */
  default void refused(int opcode, int status) {}
}
