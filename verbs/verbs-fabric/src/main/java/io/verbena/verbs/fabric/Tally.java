package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.SendOpcode;

/** Counts the requests to a host's devices. Guarded by the fabric's lock. */
final class Tally {
  long sendPosts;
  private long receivePosts;
  long polls;
  long arms;
  private long sends;
  private long writes;
  private long binds;
  private long invalidations;
  private long others;
  private long receives;
  long registrations;
  private long bytes;

  void receivePost(int posted) {
    receivePosts++;
    receives += posted;
  }

  void request(int opcode, long length) {
    switch (opcode) {
      case SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.SEND_WITH_INV -> {
        sends++;
        bytes += length;
      }
      case SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM -> {
        writes++;
        bytes += length;
      }
      case SendOpcode.BIND_MW -> binds++;
      case SendOpcode.LOCAL_INV -> invalidations++;
      default -> others++;
    }
  }

  VerbsCounts counts() {
    return new VerbsCounts(
        sendPosts,
        receivePosts,
        polls,
        arms,
        sends,
        writes,
        binds,
        invalidations,
        others,
        receives,
        registrations,
        bytes);
  }
}
