package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.codec.WireEncoder;
import io.verbena.core.PathPolicy;
import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Users' code that fails in unusual places ends the call it belongs to, and nothing else. */
class MisfortuneTest {
  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);

  @AfterEach
  void theSessionIsStillOfUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    world.close();
  }

  private void serve(UnaryOperator<String> slow) {
    world.server(
        s ->
            s.serve(
                Probe.bind(
                    new Probe.Plain() {
                      @Override
                      public String slow(String text) {
                        return slow.apply(text);
                      }
                    })));
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    world.settle();
    assertThat(call).isDone();
    return (RpcException) call.exceptionNow();
  }

  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message either");
    }
  }

  @Test
  void anExceptionThatCannotSayItsMessageIsStillAnAnswer() {
    serve(
        text -> {
          throw new Mute();
        });
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure.remoteType()).isEqualTo(Mute.class.getName());
  }

  @Test
  void anExceptionWhoseMessageIsNoTextIsStillAnAnswer() {
    serve(
        text -> {
          throw new IllegalStateException("half a pair: \ud83d");
        });
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("half a pair");
  }

  @Test
  void aReplyThatItsTypeRefusesEndsTheCallAndNotTheSession() {
    serve(text -> text);
    MethodDescriptor<String> picky =
        new MethodDescriptor<>(
            "probe",
            1,
            "echo",
            true,
            false,
            true,
            0,
            in -> {
              throw new IllegalArgumentException("too short: " + in.readString());
            },
            null);
    RpcException failure = failureOf(stub.submit(picky, "text"));
    assertThat(failure.status()).isEqualTo(RpcStatus.PROTOCOL_ERROR);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(failure).hasMessageContaining("too short: text");
    assertThat(session.path().link()).isEqualTo("mem");
  }

  @Test
  void anExecutorThatTakesNothingStillLetsCancellationsRun() throws Exception {
    List<Runnable> running = new ArrayList<>();
    AtomicBoolean full = new AtomicBoolean();
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    world.server(
        s ->
            s.serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String slow(String text) {
                            CallContext.current().onCancel(() -> cancelled.complete(null));
                            world.step();
                            full.set(true);
                            session.close();
                            world.step();
                            world.step();
                            return text;
                          }
                        }))
                .handlers(
                    task -> {
                      if (full.get()) {
                        throw new RejectedExecutionException("full");
                      }
                      running.add(task);
                    }));
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.settle();
    running.forEach(Runnable::run);
    Thread.interrupted();
    assertThat(cancelled).succeedsWithin(Duration.ofSeconds(20));
    assertThat(failureOf(call).status()).isEqualTo(RpcStatus.CANCELLED);
  }

  @Test
  void timeoutsOfAnyLengthAreTaken() {
    serve(text -> CallContext.current().remaining().toDays() + " days");
    for (Duration timeout :
        List.of(
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofDays(2))) {
      CompletableFuture<String> call =
          new Probe.Stub(session, CallOptions.timeout(timeout)).submit(Probe.SLOW, "");
      world.pass(Duration.ofMillis(5));
      assertThat(call.join()).isNotEqualTo("0 days");
    }
  }

  @Test
  void aTokenThatCannotBeHadFailsTheCallAndIsAskedForAgainWithTheNext() {
    serve(text -> text);
    AtomicBoolean broken = new AtomicBoolean(true);
    Session other =
        world
            .client(
                c ->
                    c.token(
                        () -> {
                          if (broken.get()) {
                            throw new IllegalStateException("the vault is sealed");
                          }
                          return "token";
                        }))
            .session(world.address());
    RpcException failure = failureOf(new Probe.Stub(other).submit(Probe.ECHO, ""));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    assertThat(failure).hasMessageContaining("the vault is sealed");
    broken.set(false);
    CompletableFuture<String> call = new Probe.Stub(other).submit(Probe.ECHO, "again");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("again");
  }

  @Test
  void everyCallThatRequiresTheBetterPathFailsAtOnceWhereThereIsNone() {
    InMemoryUpgrade upgrade = new InMemoryUpgrade(new InMemoryNetwork(world.clock(), 16));
    upgrade.availability(new Availability.Unavailable("no verbs device on this host"));
    serve(text -> text);
    Session picky =
        world
            .client(c -> c.upgrades(upgrade).path(PathPolicy.REQUIRE_RDMA))
            .session(world.address());
    for (int i = 0; i < 3; i++) {
      RpcException failure = failureOf(new Probe.Stub(picky).submit(Probe.ECHO, ""));
      assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(failure).hasMessageContaining("no verbs device");
    }
  }

  @Test
  void aSlotThatWasReleasedKeepsNoLongMessageAlive() {
    SlotPool pool = new SlotPool(4096, 1 << 20);
    Slot slot = Objects.requireNonNull(pool.claim());
    WireEncoder out = slot.encoder();
    out.start(slot.buffer(), 32, 1 << 20, 8);
    out.writeBytes(new byte[100_000]);
    slot.encoded(32);
    assertThat(slot.content().capacity()).isGreaterThan(100_000);
    slot.release();
    assertThat(out.buffer().capacity()).isZero();
  }

  @Test
  void callsToAServerThatIsAwayLeaveNothingBehind() {
    for (int i = 0; i < 200; i++) {
      CompletableFuture<String> call = stub.submit(Probe.ECHO, "nobody there");
      world.runUntil(call::isDone);
    }
    serve(text -> text);
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "now");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("now");
  }
}
