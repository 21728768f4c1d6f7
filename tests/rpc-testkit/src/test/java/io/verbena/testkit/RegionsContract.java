package io.verbena.testkit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of regions over every kind of path. The test of a path extends it. */
public abstract class RegionsContract {
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;
  private static final long BYTES = 2 << 20;
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final int SECONDS = 40;
  private static final VarHandle LONG = JAVA_LONG.varHandle();

  private static final MethodDescriptor<Void> SAY =
      new MethodDescriptor<>("hello", 1, "say", true, false, true, 0, in -> null, null);
  private static final ServiceDescriptor<Object> HELLO =
      new ServiceDescriptor<>(
          Object.class,
          "hello",
          new Schema(
              "hello",
              List.of(new Schema.Method(1, "say", false, List.of(), "void", List.of())),
              List.of()),
          List.of(SAY),
          caller -> caller);

  private final BlockingQueue<Session> arrived = new LinkedBlockingQueue<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Arena arena;
  private MemorySegment memory;
  private VerbenaServer server;

  /** The owner's end, and the user's. */
  private Session owner;

  private Session user;

  /** Everything is set before each test. */
  @SuppressWarnings("NullAway.Init") // by open
  protected RegionsContract() {}

  /** Returns a server that listens nowhere yet but where this sets it to. */
  protected abstract VerbenaServer.Builder newServer();

  /** Returns a client. */
  protected abstract VerbenaClient.Builder newClient();

  /** Waits until a new session has the path that is tested. */
  protected void settle(Session session) {}

  @BeforeEach
  void open() throws Exception {
    arena = Arena.ofShared();
    memory = arena.allocate(BYTES, 8);
    ServiceBinding hello =
        new ServiceBinding(HELLO, (method, in, call) -> call.handle(reply -> {}));
    server =
        newServer().serve(hello).onSession(arrived::add).drainTime(Duration.ofMillis(100)).start();
    user = connect();
    owner = nextOwner();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    server.close();
    assertThat(server.slotsInUse()).isZero();
    assertThat(server.sharedBytesInUse()).isZero();
    arena.close();
  }

  private Session connect() {
    VerbenaClient client = newClient().build();
    opened.add(client);
    Session session = client.connect(server.address().toString());
    settle(session);
    return session;
  }

  private Session nextOwner() throws InterruptedException {
    Session next = arrived.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  private RegionRef expose(int access) throws Exception {
    RegionRef ref = owner.regions().expose(memory, access, LEASE).ref();
    hello(user);
    return ref;
  }

  /** Makes a call, as whoever has a ref has had the answer to one that brought it. */
  private static void hello(Session session) throws Exception {
    get(session.caller(HELLO, CallOptions.DEFAULT).submit(SAY, out -> {}).toCompletableFuture());
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(SECONDS, TimeUnit.SECONDS);
  }

  private static void assertFails(
      CompletableFuture<?> future, RpcStatus status, Execution execution) {
    assertThat(future)
        .failsWithin(Duration.ofSeconds(SECONDS))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).as(e.getMessage()).isEqualTo(status);
              assertThat(e.execution()).as(e.getMessage()).isEqualTo(execution);
            });
  }

  private static byte[] pattern(int length, int salt) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + i / 251 + salt);
    }
    return bytes;
  }

  @Test
  void aGetReadsWhatTheOwnerHasWrittenAndAPutWritesWhatTheOwnerReads() throws Exception {
    RegionRef region = expose(Regions.READ | Regions.WRITE);
    assertThat(region.length()).isEqualTo(BYTES);
    for (int length : new int[] {0, 1, 7, 8, 64, 4096, 9_000, 20_000, 300_000, 1 << 20}) {
      long at = length % 3 == 0 ? 8 : 13;
      byte[] written = pattern(length, 1);
      MemorySegment.copy(written, 0, memory, JAVA_BYTE, at, length);
      MemorySegment into = MemorySegment.ofArray(new byte[length]);
      get(user.regions().get(region, at, into));
      assertThat(into.toArray(JAVA_BYTE)).as("%d bytes", length).isEqualTo(written);
      byte[] put = pattern(length, 2);
      get(user.regions().put(region, at, MemorySegment.ofArray(put)));
      assertThat(memory.asSlice(at, length).toArray(JAVA_BYTE)).isEqualTo(put);
      get(user.regions().get(region, at, into));
      assertThat(into.toArray(JAVA_BYTE)).as("what was put").isEqualTo(put);
    }
  }

  @Test
  void manyPiecesGoByOneRequest() throws Exception {
    RegionRef region = expose(Regions.READ | Regions.WRITE);
    List<RegionPiece> from = new ArrayList<>();
    List<RegionPiece> into = new ArrayList<>();
    for (int i = 0; i < Regions.MOST_PIECES; i++) {
      long offset = (i * 7919L % Regions.MOST_PIECES) * 1_000;
      byte[] bytes = pattern(1 + i % 900, i);
      from.add(new RegionPiece(offset, MemorySegment.ofArray(bytes)));
      into.add(new RegionPiece(offset, MemorySegment.ofArray(new byte[bytes.length])));
    }
    get(user.regions().put(region, from));
    get(user.regions().get(region, into));
    for (int i = 0; i < from.size(); i++) {
      assertThat(into.get(i).memory().mismatch(from.get(i).memory())).isEqualTo(-1);
    }
    get(user.regions().get(region, List.of()));
  }

  @Test
  void aLongIsSetIfItIsAsExpectedAndAddedTo() throws Exception {
    RegionRef region = expose(Regions.ATOMIC);
    memory.set(JAVA_LONG, 16, 5);
    assertThat(get(user.regions().compareAndSet(region, 16, 5, Long.MIN_VALUE))).isTrue();
    assertThat(memory.get(JAVA_LONG, 16)).isEqualTo(Long.MIN_VALUE);
    assertThat(get(user.regions().compareAndSet(region, 16, 5, 7))).isFalse();
    assertThat(get(user.regions().compareAndExchange(region, 16, 5, 7))).isEqualTo(Long.MIN_VALUE);
    assertThat(get(user.regions().getAndAdd(region, 16, -1))).isEqualTo(Long.MIN_VALUE);
    assertThat(memory.get(JAVA_LONG, 16)).isEqualTo(Long.MAX_VALUE);
    long last = BYTES - 8;
    assertThat(get(user.regions().getAndAdd(region, last, 3))).isZero();
    assertThat(memory.get(JAVA_LONG, last)).isEqualTo(3);
  }

  @Test
  void atomicsOfSeveralSessionsAndOfTheOwnerAreAtomicToOneAnother() throws Exception {
    int each = 200;
    RegionRef first = expose(ALL);
    Session another = connect();
    Session anothers = nextOwner();
    RegionRef second = anothers.regions().expose(memory, ALL, LEASE).ref();
    hello(another);
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (Runnable work :
        List.<Runnable>of(
            () -> addAll(user.regions(), first, each),
            () -> addAll(another.regions(), second, each),
            () -> casAll(another.regions(), second, each),
            () -> {
              for (int i = 0; i < each; i++) {
                long _ = (long) LONG.getAndAdd(memory, 0L, 1L);
              }
            })) {
      Thread thread =
          Thread.ofVirtual().uncaughtExceptionHandler((t, e) -> failures.add(e)).start(work);
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat((long) LONG.getVolatile(memory, 0L)).isEqualTo(4L * each);
  }

  private static void addAll(Regions regions, RegionRef region, int number) {
    for (int i = 0; i < number; i++) {
      regions.getAndAdd(region, 0, 1).join();
    }
  }

  private static void casAll(Regions regions, RegionRef region, int number) {
    long expected = 0;
    for (int done = 0; done < number; ) {
      long before = regions.compareAndExchange(region, 0, expected, expected + 1).join();
      done += before == expected ? 1 : 0;
      expected = before == expected ? expected + 1 : before;
    }
  }

  @Test
  void whatARegionDoesNotAllowIsRefusedHereAndWhereARefIsForgedByItsOwner() throws Exception {
    RegionRef read = expose(Regions.READ);
    RegionRef write = expose(Regions.WRITE);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    Regions regions = user.regions();
    assertThatThrownBy(() -> regions.put(read, 0, word))
        .hasMessageContaining("does not allow writes");
    assertThatThrownBy(() -> regions.get(write, 0, word))
        .hasMessageContaining("does not allow reads");
    assertThatThrownBy(() -> regions.getAndAdd(read, 0, 1))
        .hasMessageContaining("does not allow atomics");
    assertThatThrownBy(() -> regions.get(read, BYTES - 7, word)).hasMessageContaining("offset");
    assertThatThrownBy(() -> regions.get(read, -1, word)).hasMessageContaining("offset");
    RegionRef forged = new RegionRef(read.id(), read.key(), Long.MAX_VALUE, ALL);
    for (CompletableFuture<?> refused :
        List.of(
            regions.put(forged, 0, word),
            regions.getAndAdd(forged, 0, 1),
            regions.compareAndSet(forged, 0, 0, 1))) {
      assertFails(refused, RpcStatus.PERMISSION_DENIED, Execution.NOT_EXECUTED);
    }
    for (int i = 0; i < 20; i++) {
      get(regions.get(read, 0, word));
      assertFails(
          regions.put(forged, 0, word), RpcStatus.PERMISSION_DENIED, Execution.NOT_EXECUTED);
    }
    for (long at : new long[] {BYTES - 7, BYTES, BYTES + 1, Long.MAX_VALUE - 8}) {
      assertFails(
          regions.get(forged, at, word), RpcStatus.INVALID_ARGUMENT, Execution.NOT_EXECUTED);
    }
    assertThat(memory.asSlice(0, 64).toArray(JAVA_BYTE)).containsOnly(0);
  }

  @Test
  void atomicsTakeAlignedLongsAlone() throws Exception {
    RegionRef region = expose(ALL);
    assertThatThrownBy(() -> user.regions().getAndAdd(region, 4, 1))
        .hasMessageContaining("a multiple of 8");
    assertThatThrownBy(() -> user.regions().getAndAdd(region, BYTES, 1))
        .hasMessageContaining("offset");
    assertThatThrownBy(() -> owner.regions().expose(memory.asSlice(4), ALL, LEASE))
        .hasMessageContaining("multiple of 8");
  }

  @Test
  void whoHasTheKeyAndTheSessionAloneReachesARegion() throws Exception {
    RegionRef region = expose(ALL);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    RegionRef guessed = new RegionRef(region.id(), region.key() + 1, region.length(), ALL);
    assertFails(
        user.regions().put(guessed, 0, word), RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);
    for (int i = 0; i < 20; i++) {
      get(user.regions().put(region, 0, word));
      assertFails(
          user.regions().put(guessed, 0, word), RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);
    }
    Session another = connect();
    assertFails(
        another.regions().get(region, 0, word), RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);
    ExposedRegion _ = nextOwner().regions().expose(memory.asSlice(1 << 20), ALL, LEASE);
    hello(another);
    assertFails(
        another.regions().get(region, 0, word), RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);
  }

  @Test
  void aClosedRegionIsReachedNoMore() throws Exception {
    ExposedRegion exposed = owner.regions().expose(memory, ALL, LEASE);
    hello(user);
    assertThat(get(user.regions().getAndAdd(exposed.ref(), 0, 1))).isZero();
    assertThat(exposed.isOpen()).isTrue();
    exposed.close();
    exposed.close();
    get(exposed.ended());
    assertThat(exposed.isOpen()).isFalse();
    assertFails(
        user.regions().getAndAdd(exposed.ref(), 0, 1),
        RpcStatus.UNAVAILABLE,
        Execution.NOT_EXECUTED);
    assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(1);
  }

  @Test
  void aRegionEndsWithItsLease() throws Exception {
    ExposedRegion exposed = owner.regions().expose(memory, ALL, LEASE);
    hello(user);
    assertThat(get(user.regions().getAndAdd(exposed.ref(), 0, 1))).isZero();
    exposed.renew(Duration.ofMillis(1));
    get(exposed.ended());
    assertFails(
        user.regions().getAndAdd(exposed.ref(), 0, 1),
        RpcStatus.UNAVAILABLE,
        Execution.NOT_EXECUTED);
  }

  @Test
  void aRegionEndsWithItsPeer() throws Exception {
    ExposedRegion exposed = owner.regions().expose(memory, ALL, LEASE);
    hello(user);
    assertThat(get(user.regions().getAndAdd(exposed.ref(), 0, 1))).isZero();
    user.close();
    get(exposed.ended());
    assertThatThrownBy(() -> owner.regions().expose(memory, ALL, LEASE))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aClientExposesMemoryToItsServer() throws Exception {
    RegionRef region = user.regions().expose(memory, ALL, LEASE).ref();
    hello(user);
    assertThat(get(owner.regions().getAndAdd(region, 8, 11))).isZero();
    assertThat(memory.get(JAVA_LONG, 8)).isEqualTo(11);
  }

  @Test
  void memoryThatIsReadIntoIsFreeWhenTheReadHasEndedHoweverThatWas() throws Exception {
    RegionRef region = expose(ALL);
    memory.fill((byte) 1);
    byte[] last = new byte[200_000];
    Arrays.fill(last, (byte) 2);
    MemorySegment twos = MemorySegment.ofArray(last);
    for (int i = 0; i < 200; i++) {
      try (Arena mine = Arena.ofShared()) {
        MemorySegment into = mine.allocate(1 + i * 997L);
        CompletableFuture<Void> read = user.regions().get(region, 0, into);
        if (i % 3 == 0) {
          read.cancel(true);
        }
        get(read.exceptionally(e -> null));
        if (i % 3 != 0) {
          assertThat(into.mismatch(memory.asSlice(0, into.byteSize()))).isEqualTo(-1);
        }
        into.fill((byte) 2);
        Thread.onSpinWait();
        assertThat(into.mismatch(twos.asSlice(0, into.byteSize()))).isEqualTo(-1);
      }
    }
  }

  @Test
  void aPutOfMemoryThatCannotBeReadFailsByItsFutureOverWhateverPath() throws Exception {
    RegionRef region = expose(ALL);
    Arena brief = Arena.ofShared();
    MemorySegment gone = brief.allocate(64);
    brief.close();
    CompletableFuture<MemorySegment> anothers = new CompletableFuture<>();
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Arena confined = Arena.ofConfined()) {
                    anothers.complete(confined.allocate(64));
                    over.join();
                  }
                });
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    for (int i = 0; i < 20; i++) {
      get(user.regions().put(region, 0, word));
      for (MemorySegment unreadable : List.of(gone, get(anothers))) {
        assertFails(
            user.regions().put(region, 64, unreadable),
            RpcStatus.INVALID_ARGUMENT,
            Execution.NOT_EXECUTED);
      }
    }
    over.complete(null);
    other.join();
  }

  @Test
  void memoryThatIsNotToBeExposedIsRefused() throws Exception {
    Regions regions = owner.regions();
    MemorySegment heap = MemorySegment.ofArray(new byte[8]);
    assertThatThrownBy(() -> regions.expose(heap, ALL, LEASE)).hasMessageContaining("heap");
    assertThatThrownBy(() -> regions.expose(memory.asReadOnly(), ALL, LEASE))
        .hasMessageContaining("read-only");
    assertThatThrownBy(() -> regions.expose(memory, 0, LEASE)).hasMessageContaining("access");
    assertThatThrownBy(() -> regions.expose(memory, 8, LEASE)).hasMessageContaining("access");
    assertThatThrownBy(() -> regions.expose(memory, ALL, Duration.ZERO))
        .hasMessageContaining("lease");
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment mine = confined.allocate(8, 8);
      assertThatThrownBy(() -> regions.expose(mine, ALL, LEASE)).hasMessageContaining("one thread");
      RegionRef region = expose(ALL);
      assertThatThrownBy(() -> user.regions().get(region, 0, mine))
          .hasMessageContaining("another thread");
    }
  }

  @Test
  void moreThanMayGoByOneRequestIsRefused() throws Exception {
    RegionRef region = expose(ALL);
    MemorySegment long1 = MemorySegment.ofArray(new byte[Regions.MOST_BYTES + 1]);
    assertThatThrownBy(() -> user.regions().get(region, 0, long1))
        .hasMessageContaining("bytes of all pieces");
    List<RegionPiece> many = new ArrayList<>();
    for (int i = 0; i <= Regions.MOST_PIECES; i++) {
      many.add(new RegionPiece(0, MemorySegment.ofArray(new byte[1])));
    }
    assertThatThrownBy(() -> user.regions().put(region, many)).hasMessageContaining("pieces");
  }
}
