package io.verbena.verbs.ffm.bench;

import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Ping-pong of sends, inline up to {@link Host#INLINE}, as ib_send_lat plays it: every send
 * signalled and its completion polled, a receive posted again for each that was used.
 */
final class SendLatency {
  private static final int WARM_UP = 12_000;
  private static final int RECEIVES = 32;

  private final int bytes;
  private final SendBlock send = new SendBlock(Arena.global(), 1, 1);
  private final ReceiveBlock receive = new ReceiveBlock(Arena.global(), 1, 1);

  SendLatency(int bytes) {
    this.bytes = bytes;
  }

  private void prepare(Host host) throws IOException {
    int flags = SendFlags.SIGNALED | (bytes <= Host.INLINE ? SendFlags.INLINE : 0);
    send.request(0, 1, SendOpcode.SEND, flags)
        .sge(0, host.memory.address(), bytes, host.region.getLkey());
    receive.request(0, 2).sge(0, host.memory.address() + bytes, bytes, host.region.getLkey());
    for (int i = 0; i < RECEIVES; i++) {
      host.qp.postReceive(receive, 0, 1);
    }
  }

  private void send(Host host) throws IOException {
    host.qp.postSend(send, 0, 1);
  }

  private void awaitPeer(Host host) throws IOException {
    host.await(host.receives);
    host.qp.postReceive(receive, 0, 1);
  }

  void serve(InetSocketAddress address, int rounds) throws IOException {
    Host host = Host.serve(address, 2 * bytes, this::prepare);
    for (int i = 0; i < WARM_UP + rounds; i++) {
      awaitPeer(host);
      send(host);
      host.await(host.sends);
    }
    host.awaitDisconnect();
  }

  /** The median of half the round trip, in microseconds. */
  double measure(InetSocketAddress address, int rounds) throws IOException {
    Host host = Host.connect(address, 2 * bytes, this::prepare).host();
    play(host, WARM_UP);
    long[] nanos = play(host, rounds);
    host.disconnect();
    Arrays.sort(nanos);
    return nanos[rounds / 2] / 2.0 / 1000.0;
  }

  private long[] play(Host host, int rounds) throws IOException {
    long[] nanos = new long[rounds];
    long last = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      send(host);
      host.await(host.sends);
      awaitPeer(host);
      long now = System.nanoTime();
      nanos[i] = now - last;
      last = now;
    }
    return nanos;
  }
}
