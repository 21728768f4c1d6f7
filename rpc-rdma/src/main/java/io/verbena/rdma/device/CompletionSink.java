package io.verbena.rdma.device;

/** Whom completions are for: one link. */
public interface CompletionSink {
  /**
   * A work request has completed. Called in the order of completion, from within polling: takes
   * note and returns.
   *
   * @param workId a {@link io.verbena.rdma.wire.WorkId}
   * @param status a {@link io.verbena.verbs.ext.WcStatus}; the rest is valid on success only
   * @param opcode a {@link io.verbena.verbs.ext.WcOpcode}
   * @param byteLength bytes received, or written by a WRITE with immediate
   * @param immediate of a receive that brought one
   */
  void completed(long workId, int status, int opcode, int byteLength, int immediate);
}
