package io.verbena.core.region;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Regions while time passes, links die, peers go, and peers are hostile. */
class RegionsTest {
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;
  private static final Duration LEASE = Duration.ofHours(1);

  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final Session session = world.client().session(world.address());
  private final Probe.Stub stub = new Probe.Stub(session);
  private final List<Session> owners = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(1 << 16, 8);
  private final VerbenaServer server = serve();

  private VerbenaServer serve() {
    return world.server(s -> s.serve(Probe.bind(new Probe.Plain())).onSession(owners::add));
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    assertThat(server.slotsInUse()).isZero();
    world.close();
    arena.close();
  }

  private ExposedRegion expose(Duration lease) {
    CompletableFuture<String> first = stub.submit(Probe.ECHO, "open");
    world.runUntil(first::isDone);
    ExposedRegion exposed = owners.getLast().regions().expose(memory, ALL, lease);
    world.settle(); // its peer is told, as it is before a call that brings the ref
    return exposed;
  }

  private static RpcException failure(CompletableFuture<?> future) {
    return (RpcException) future.exceptionNow();
  }

  private RpcException failureOf(CompletableFuture<?> future) {
    world.runUntil(future::isDone);
    return failure(future);
  }

  @Test
  void nothingIsDoneTwiceHoweverOftenLinksDie() {
    RegionRef region = expose(LEASE).ref();
    Random random = Seed.random("links die under regions");
    List<CompletableFuture<?>> all = new ArrayList<>();
    int added = 0;
    for (int i = 0; i < 2_000; i++) {
      long word = 8L * random.nextInt(8);
      if (random.nextInt(20) == 0) {
        all.add(session.regions().get(region, 64, MemorySegment.ofArray(new byte[20_000])));
      } else {
        all.add(session.regions().getAndAdd(region, word, 1));
        added++;
      }
      for (int steps = random.nextInt(6); steps > 0; steps--) {
        world.step();
      }
      if (random.nextInt(25) == 0) {
        world.network().drop(address, "dropped by the test");
      }
      if (i % 50 == 0) {
        world.pass(Duration.ofMillis(100));
      }
    }
    world.pass(Duration.ofSeconds(2));
    assertThat(all).allMatch(CompletableFuture::isDone);
    assertThat(all).noneMatch(CompletableFuture::isCompletedExceptionally);
    long sum = 0;
    for (int i = 0; i < 8; i++) {
      sum += memory.get(JAVA_LONG, 8L * i);
    }
    assertThat(sum).isEqualTo(added);
  }

  @Test
  void whenTheOwnerIsLostWhatHadLeftIsUnknownAndWhatHadNotIsNotExecuted() {
    ExposedRegion exposed = expose(LEASE);
    RegionRef region = exposed.ref();
    world.pauseServer(true);
    CompletableFuture<Boolean> sent = session.regions().compareAndSet(region, 0, 0, 1);
    world.step();
    world.step();
    world.network().admit(address, Admission.REFUSE);
    world.network().drop(address, "power cut");
    world.settle();
    CompletableFuture<Boolean> queued = session.regions().compareAndSet(region, 8, 0, 1);
    world.pass(Duration.ofSeconds(20));
    assertThat(failure(sent).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure(sent).execution()).isEqualTo(Execution.UNKNOWN);
    assertThat(failure(queued).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure(queued).execution()).isEqualTo(Execution.NOT_EXECUTED);
    world.pauseServer(false);
    world.pass(Duration.ofSeconds(20));
    assertThat(exposed.ended()).as("its lease ends with the peer").isDone();
    assertThat(memory.get(JAVA_LONG, 8)).isZero();
  }

  @Test
  void aCasWhoseDeadlinePassesIsUnknownIfItHasLeft() {
    RegionRef region = expose(LEASE).ref();
    world.pauseServer(true);
    Regions hasty = session.regions().withTimeout(Duration.ofMillis(50));
    CompletableFuture<Boolean> sent = hasty.compareAndSet(region, 0, 0, 1);
    world.pass(Duration.ofMillis(60));
    assertThat(failure(sent).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure(sent).execution()).isEqualTo(Execution.UNKNOWN);
    world.pauseServer(false);
  }

  @Test
  void aLeaseCountsFromItsBeginningAndMayBeRenewed() {
    ExposedRegion exposed = expose(Duration.ofSeconds(10));
    world.pass(Duration.ofSeconds(9));
    assertThat(exposed.renew(Duration.ofSeconds(10))).isTrue();
    world.pass(Duration.ofSeconds(9));
    CompletableFuture<Long> add = session.regions().getAndAdd(exposed.ref(), 0, 1);
    world.runUntil(add::isDone);
    assertThat(add).isCompletedWithValue(0L);
    world.pass(Duration.ofSeconds(2));
    assertThat(exposed.isOpen()).isFalse();
    assertThat(exposed.ended()).isDone();
    RpcException late = failureOf(session.regions().getAndAdd(exposed.ref(), 0, 1));
    assertThat(late.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(late.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(late).hasMessageContaining("its lease ended");
    assertThat(exposed.renew(LEASE)).isFalse();
    world.pass(Duration.ofSeconds(1));
    assertThat(exposed.isOpen()).isFalse();
  }

  @Test
  void aRegionThatWasClosedIsNotRenewed() {
    ExposedRegion exposed = expose(LEASE);
    exposed.close();
    assertThat(exposed.renew(LEASE)).isFalse();
    assertThat(exposed.ended()).isDone();
  }

  @Test
  void aRegionOutlivesItsLink() {
    ExposedRegion exposed = expose(LEASE);
    world.network().drop(address, "cable pulled");
    world.pass(Duration.ofMillis(50));
    CompletableFuture<Long> add = session.regions().getAndAdd(exposed.ref(), 0, 1);
    world.runUntil(add::isDone);
    assertThat(add).isCompletedWithValue(0L);
  }

  @Test
  void aRegionOfAServerThatIsGoneIsUnavailableAtTheNext() {
    RegionRef region = expose(LEASE).ref();
    server.close();
    world.pass(Duration.ofSeconds(1));
    VerbenaServer _ = serve();
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "again");
    world.runUntil(call::isDone);
    RpcException gone = failureOf(session.regions().getAndAdd(region, 0, 1));
    assertThat(gone.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(gone.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(gone).hasMessageContaining("exposes nothing");
    ExposedRegion _ = owners.getLast().regions().expose(memory.asSlice(8), ALL, LEASE);
    world.settle();
    RpcException other = failureOf(session.regions().getAndAdd(region, 0, 1));
    assertThat(other.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(other.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(memory.get(JAVA_LONG, 0)).isZero();
  }

  @Test
  void aServerThatDrainsTakesUpNoMore() {
    RegionRef region = expose(LEASE).ref();
    server.drain();
    world.pass(Duration.ofMillis(20));
    RpcException refused = failureOf(session.regions().getAndAdd(region, 0, 1));
    assertThat(refused.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
  }

  @Test
  void memoryThatItsOwnerFreesTooEarlyIsReachedNoMore() {
    ExposedRegion _ = expose(LEASE);
    Arena brief = Arena.ofShared();
    ExposedRegion exposed = owners.getLast().regions().expose(brief.allocate(64, 8), ALL, LEASE);
    List<Boolean> locked = new ArrayList<>();
    CompletableFuture<Void> _ =
        exposed.ended().thenRun(() -> locked.add(Thread.holdsLock(exposed)));
    brief.close();
    RpcException refused = failureOf(session.regions().getAndAdd(exposed.ref(), 0, 1));
    assertThat(refused.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(locked)
        .as("who waits for the end is told outside of the lock")
        .containsExactly(false);
    assertThat(exposed.isOpen()).isFalse();
  }

  @Test
  void aSessionThatHasEndedExposesNothing() {
    ExposedRegion exposed = expose(LEASE);
    session.close();
    world.pass(Duration.ofSeconds(1));
    assertThat(exposed.isOpen()).isFalse();
    assertThatThrownBy(() -> session.regions().expose(memory, ALL, LEASE))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void programsWithoutRegionsHearNothingOfThem() {
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "plain");
    world.runUntil(call::isDone);
    assertThat(session.regions()).isSameAs(session.regions());
    CompletableFuture<String> missing =
        session
            .caller(Probe.service("string"), CallOptions.DEFAULT)
            .submit(raw(1), out -> out.writeVarLong(1))
            .toCompletableFuture();
    assertThat(failureOf(missing)).hasMessageContaining("the peer serves probe, not this service");
  }

  // ---- structs that are written meanwhile ----

  private CompletableFuture<Void> versioned(Duration timeout) {
    RegionRef region = expose(LEASE).ref();
    memory.set(JAVA_LONG, 0, 1);
    CompletableFuture<Void> read =
        session
            .regions()
            .withTimeout(timeout)
            .getVersioned(region, 0, 8, MemorySegment.ofArray(new long[2]));
    world.pass(Duration.ofMillis(900));
    assertThat(read).as("while somebody writes").isNotDone();
    return read;
  }

  @Test
  void aVersionedReadWaitsForAWriterThatStandsStill() {
    CompletableFuture<Void> read = versioned(LEASE);
    memory.set(JAVA_LONG, 0, 2);
    world.pass(Duration.ofMillis(12));
    assertThat(read).isCompleted();
  }

  @Test
  void butNotBeyondItsDeadline() {
    CompletableFuture<Void> read = versioned(Duration.ofSeconds(1));
    world.pass(Duration.ofMillis(102));
    assertThat(failure(read).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure(read)).hasMessageContaining("met a concurrent write");
  }

  @Test
  void norBeyondItsCancellation() {
    CompletableFuture<Void> read = versioned(LEASE);
    assertThat(read.cancel(true)).isTrue();
    world.settle();
    assertThat(read).isCancelled();
  }

  @Test
  void norBeyondTheEndOfItsSession() {
    CompletableFuture<Void> read = versioned(LEASE);
    session.close();
    world.settle();
    assertThat(failure(read).status()).isEqualTo(RpcStatus.UNAVAILABLE);
  }

  // ---- hostile peers: they ask as they like ----

  private static MethodDescriptor<String> raw(int id) {
    return new MethodDescriptor<>(
        "verbena.regions", id, "raw", false, false, true, 0, in -> "taken", null);
  }

  private RpcException refusalOf(int method, ArgumentWriter arguments) {
    ServiceCaller caller = session.caller(Probe.service("string"), CallOptions.DEFAULT);
    return failureOf(caller.submit(raw(method), arguments).toCompletableFuture());
  }

  @Test
  void lengthsAndCountsThatAreLiesAreRefusedBeforeMemoryIsTaken() {
    RegionRef region = expose(LEASE).ref();
    ArgumentWriter name =
        out -> {
          out.writeVarLong(region.id());
          out.writeLong(region.key());
        };
    for (int method : new int[] {1, 2}) {
      for (int count : new int[] {Integer.MAX_VALUE, -1, 1 << 20, 2}) {
        RpcException refused =
            refusalOf(
                method,
                out -> {
                  name.write(out);
                  out.writeVarInt(count);
                });
        assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
        assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
      }
    }
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 20) + 1}) {
      RpcException refused =
          refusalOf(
              1,
              out -> {
                name.write(out);
                out.writeVarInt(1);
                out.writeVarLong(0);
                out.writeVarInt(length);
              });
      assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
    }
    RpcException together =
        refusalOf(
            1,
            out -> {
              name.write(out);
              out.writeVarInt(1000);
              for (int i = 0; i < 1000; i++) {
                out.writeVarLong(0);
                out.writeVarInt(1 << 16);
              }
            });
    assertThat(together.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    for (long offset : new long[] {-8, 4, (1 << 16) - 4, 1 << 16, Long.MAX_VALUE, Long.MIN_VALUE}) {
      for (int method : new int[] {3, 4}) {
        RpcException refused =
            refusalOf(
                method,
                out -> {
                  name.write(out);
                  out.writeVarLong(offset);
                  out.writeLong(0);
                  out.writeLong(1);
                });
        assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
        assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
      }
    }
    assertThat(memory.get(JAVA_LONG, 0)).isZero();
  }

  @Test
  void randomRequestsEndThemselvesAlone() {
    RegionRef region = expose(LEASE).ref();
    Random random = Seed.random("random requests for regions");
    ServiceCaller caller = session.caller(Probe.service("string"), CallOptions.DEFAULT);
    memory.fill((byte) 0);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      boolean named = random.nextInt(4) > 0;
      CompletableFuture<String> call =
          caller
              .submit(
                  raw(1 + random.nextInt(4)),
                  out -> {
                    if (named) {
                      out.writeVarLong(region.id());
                      out.writeLong(region.key());
                      out.writeVarInt(random.nextInt(4));
                    }
                    for (byte one : bytes) {
                      out.writeByte(one);
                    }
                  })
              .toCompletableFuture();
      world.runUntil(call::isDone);
      if (call.isCompletedExceptionally()) {
        assertThat(failure(call).status()).isIn(RpcStatus.INVALID_ARGUMENT, RpcStatus.UNAVAILABLE);
      }
    }
    CompletableFuture<String> call = stub.submit(Probe.ECHO, "still here");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("still here");
  }
}
