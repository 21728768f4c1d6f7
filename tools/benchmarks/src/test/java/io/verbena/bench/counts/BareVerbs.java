package io.verbena.bench.counts;

import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Pair;
import io.verbena.verbs.testkit.Setup;
import io.verbena.verbs.testkit.Side;
import io.verbena.verbs.testkit.VerbsHarness;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Two queue pairs of a fabric that send each other messages, and no more: with queues as deep as a
 * link's, receives in slots of a shared queue, and Sends inline, so that the simulated device has
 * the same to do as under a link.
 */
final class BareVerbs {
  /** A call of 64 bytes, with the headers of call, frame and Send. */
  private static final int BYTES = 114;

  /** As often as the two loops poll for a lone call. */
  private static final int POLLS = 2;

  private static final int SIGNAL_EVERY = 16;
  private static final int SEND_DEPTH = 128;
  private static final int CQ_ENTRIES = 4096;
  private static final int SHARED_RECEIVES = 1 << 14;

  /** What one link is guaranteed, with those for control messages. */
  private static final int SLOTS = 11;

  private static final int SLOT_BYTES = 8 << 10;

  private final Fabric fabric;
  private final FabricHost one;
  private final FabricHost other;
  private End here;
  private End there;

  @SuppressWarnings("NullAway.Init") // by connect
  BareVerbs(long seed) {
    fabric = Fabric.stepped(seed);
    one = fabric.addHost("one", InetAddress.ofLiteral("10.9.0.1"));
    other = fabric.addHost("other", InetAddress.ofLiteral("10.9.0.2"));
  }

  void connect() throws Exception {
    Setup setup =
        new Setup()
            .maxSend(SEND_DEPTH)
            .maxInline(256)
            .receiveCqEntries(CQ_ENTRIES)
            .sharedReceives(SHARED_RECEIVES);
    Pair pair = Pair.connect(new Harness(fabric, one, other), setup, setup);
    here = new End(pair.active);
    there = new End(pair.passive);
  }

  /** Sends a message and waits for another. */
  int roundTrip() throws IOException {
    here.send();
    int done = there.receive();
    there.send();
    return done + here.receive();
  }

  private static final class End {
    private final VerbsQp qp;
    private final SharedReceiveQueue shared;
    private final VerbsCq received;
    private final VerbsCq sent;
    private final Buffer from;
    private final Buffer into;
    private final SendBlock sends = new SendBlock(Arena.global(), 1, 1);
    private final ReceiveBlock receives = new ReceiveBlock(Arena.global(), 1, 1);
    private final CompletionBlock completions = new CompletionBlock(Arena.global(), 64);
    private int posted;

    End(Side side) throws IOException {
      qp = side.verbs();
      shared = Objects.requireNonNull(side.srq);
      received = VerbsCq.of(side.receiveCq);
      sent = VerbsCq.of(side.sendCq);
      from = side.buffer(BYTES);
      into = side.buffer((long) SLOTS * SLOT_BYTES);
      for (int slot = 0; slot < SLOTS; slot++) {
        postReceive(slot);
      }
    }

    private void postReceive(int slot) throws IOException {
      long at = into.address() + (long) slot * SLOT_BYTES;
      receives.request(0, slot, at, SLOT_BYTES, into.lkey());
      shared.postReceive(receives, 0, 1);
    }

    void send() throws IOException {
      boolean signalled = ++posted % SIGNAL_EVERY == 0;
      int flags = SendFlags.INLINE | (signalled ? SendFlags.SIGNALED : 0);
      sends.request(0, 1, SendOpcode.SEND, flags).sge(0, from.address(), BYTES, from.lkey());
      qp.postSend(sends, 0, 1);
      if (signalled) {
        sent.poll(completions);
      }
    }

    int receive() throws IOException {
      int done = 0;
      for (int i = 0; i < POLLS || done == 0; i++) {
        if (received.poll(completions) > 0) {
          postReceive((int) completions.wrId(0));
          done++;
        }
      }
      return done;
    }
  }

  private record Harness(Fabric fabric, FabricHost active, FabricHost passive)
      implements VerbsHarness {
    @Override
    public InetAddress address() {
      return passive.addresses().getFirst();
    }

    @Override
    public Optional<InetAddress> ipv6Address() {
      return Optional.empty();
    }

    @Override
    public InetAddress silentAddress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isReal() {
      return false;
    }

    @Override
    public void await(String what, Condition condition) throws Exception {
      while (!condition.holds()) {
        fabric.step();
      }
    }

    @Override
    public void pass(Duration time) {
      throw new UnsupportedOperationException();
    }
  }
}
