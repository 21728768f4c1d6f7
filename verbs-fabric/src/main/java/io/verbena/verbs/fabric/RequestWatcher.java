package io.verbena.verbs.fabric;

/** Hears of what a host's device does at its peers, in the order in which it is done. */
@FunctionalInterface
public interface RequestWatcher {
  /**
   * A request was carried out at the peer; its completions are yet to be seen by either end. Called
   * under the fabric's lock, so it waits for nothing.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}, but none that is local
   * @param bytes what it carried, inline or not
   */
  void carriedOut(int opcode, long bytes);

  /**
   * A request was taken into a send queue, be it carried out at the peer or not. Called as the
   * other is.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}, local ones too
   */
  default void posted(int opcode) {}

  /**
   * A request was refused: a key, its bounds or rights, or a queue pair's state did not allow it.
   * What is merely not answered is not told here. Called as the other is.
   *
   * @param opcode one of {@link io.verbena.verbs.ext.SendOpcode}
   * @param status one of {@link io.verbena.verbs.ext.WcStatus}; of one that found no receive
   *     posted, whether or not it is repeated, {@code RNR_RETRY_EXC_ERR}
   */
  default void refused(int opcode, int status) {}
}
