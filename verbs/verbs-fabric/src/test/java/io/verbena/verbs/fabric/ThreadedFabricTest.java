package io.verbena.verbs.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvCQ;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.testkit.ActiveEndpointSuite;
import io.verbena.verbs.testkit.ConnectionSuite;
import io.verbena.verbs.testkit.FlowSuite;
import io.verbena.verbs.testkit.MessageSuite;
import io.verbena.verbs.testkit.OneSidedSuite;
import io.verbena.verbs.testkit.Pair;
import io.verbena.verbs.testkit.VerbsHarness;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The suite on a fabric with a thread of its own, where waits block. */
class ThreadedFabricTest {
  /** As for a real device: polls within a limit. */
  private record Threaded(Fabric fabric, FabricHost a, FabricHost b) implements VerbsHarness {
    static Threaded open(long seed) {
      Fabric fabric = Fabric.threaded(seed);
      return new Threaded(
          fabric,
          fabric.addHost("a", InetAddress.ofLiteral("10.9.0.1"), InetAddress.ofLiteral("fd00::1")),
          fabric.addHost("b", InetAddress.ofLiteral("10.9.0.2"), InetAddress.ofLiteral("fd00::2")));
    }

    @Override
    public VerbsProvider active() {
      return a;
    }

    @Override
    public VerbsProvider passive() {
      return b;
    }

    @Override
    public InetAddress address() {
      return b.addresses().getFirst();
    }

    @Override
    public Optional<InetAddress> ipv6Address() {
      return Optional.of(b.addresses().getLast());
    }

    @Override
    public InetAddress silentAddress() {
      return InetAddress.ofLiteral("10.9.0.99");
    }

    @Override
    public boolean isReal() {
      return false;
    }

    @Override
    public void await(String what, Condition condition) throws Exception {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!condition.holds()) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("not within 20 s: " + what + " in " + fabric);
        }
        Thread.sleep(Duration.ofNanos(50_000));
      }
    }

    @Override
    public void pass(Duration time) throws Exception {
      Thread.sleep(time);
    }

    @Override
    public void close() {
      fabric.close();
    }
  }

  @Nested
  class Connections extends ConnectionSuite {
    @Override
    protected VerbsHarness newHarness() {
      return Threaded.open(1);
    }
  }

  @Nested
  class Messages extends MessageSuite {
    @Override
    protected VerbsHarness newHarness() {
      return Threaded.open(2);
    }
  }

  @Nested
  class OneSided extends OneSidedSuite {
    @Override
    protected VerbsHarness newHarness() {
      return Threaded.open(3);
    }
  }

  @Nested
  class Flow extends FlowSuite {
    @Override
    protected VerbsHarness newHarness() {
      return Threaded.open(4);
    }
  }

  @Nested
  class ActiveEndpoints extends ActiveEndpointSuite {
    @Override
    protected VerbsHarness newHarness() {
      return Threaded.open(6);
    }
  }

  @Test
  void wakesAThreadThatWaitsForACompletion() throws Exception {
    try (Threaded harness = Threaded.open(5);
        Pair pair = Pair.connect(harness)) {
      VerbsCq.of(pair.passive.receiveCq).arm(false);
      pair.passive.receive(1, pair.passive.buffer(8));
      CompletableFuture<IbvCQ> woken = new CompletableFuture<>();
      Thread waiter =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      woken.complete(
                          VerbsCompChannel.of(pair.passive.channel)
                              .nextEvent(TimeUnit.SECONDS.toNanos(30)));
                    } catch (Exception e) {
                      woken.completeExceptionally(e);
                    }
                  });
      pair.active.request(2, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(8));
      pair.active.post();
      assertThat(woken.get(30, TimeUnit.SECONDS)).isSameAs(pair.passive.receiveCq);
      waiter.join();
      assertThat(pair.passive.awaitReceived().wrId()).isEqualTo(1);
    }
  }
}
