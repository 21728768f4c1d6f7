package io.verbena.verbs.ffm.bench;

import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

/** WRITEs with a bounded number outstanding, as ib_write_bw posts them: one at a time. */
final class WriteBandwidth {
  /** {@code -t} and {@code -Q} of ib_write_bw. */
  static final int OUTSTANDING = 16;

  static final int SIGNAL_EVERY = 4;

  private static final double MIB = 1 << 20;
  private static final int WARM_UP_BYTES = 16 << 20;

  private final int bytes;

  WriteBandwidth(int bytes) {
    this.bytes = bytes;
  }

  void serve(InetSocketAddress address) throws IOException {
    Host.serve(address, bytes, host -> {}).awaitDisconnect();
  }

  /** MiB per second from the first post to the last completion. */
  double measure(InetSocketAddress address, int writes) throws IOException {
    Host.Peer peer = Host.connect(address, bytes, host -> {});
    SendBlock block = new SendBlock(Arena.global(), SIGNAL_EVERY, 1);
    for (int i = 0; i < SIGNAL_EVERY; i++) {
      int flags = i == SIGNAL_EVERY - 1 ? SendFlags.SIGNALED : 0;
      block
          .request(i, i, SendOpcode.RDMA_WRITE, flags)
          .sge(i, peer.host().memory.address(), bytes, peer.host().region.getLkey())
          .remote(i, peer.address(), peer.rkey());
    }
    write(peer.host(), block, Math.max(SIGNAL_EVERY, WARM_UP_BYTES / bytes));
    long start = System.nanoTime();
    write(peer.host(), block, writes);
    double seconds = (System.nanoTime() - start) / 1e9;
    peer.host().disconnect();
    return writes * (double) bytes / MIB / seconds;
  }

  /** {@code count} is a multiple of {@link #SIGNAL_EVERY}, so the last write is signalled. */
  private static void write(Host host, SendBlock block, int count) throws IOException {
    int posted = 0;
    int completed = 0;
    while (completed < count) {
      while (posted < count && posted - completed < OUTSTANDING) {
        posted += host.qp.postSend(block, posted % SIGNAL_EVERY, 1);
      }
      if (host.completed(host.sends)) {
        completed += SIGNAL_EVERY;
      }
    }
  }
}
