package io.verbena.it;

import static io.verbena.api.region.Regions.ATOMIC;
import static io.verbena.api.region.Regions.READ;
import static io.verbena.api.region.Regions.WRITE;
import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallContext;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.VerbenaException;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.RegionView;
import io.verbena.api.region.Regions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Structs in a region that a call has brought the ref of. */
class RegionsByLayoutTest {
  private static final StructLayout ACCOUNT =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("version"), JAVA_LONG.withName("euros"), JAVA_LONG.withName("cents"));
  private static final int ACCOUNTS = 16;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(ACCOUNT.byteSize() * ACCOUNTS, 8);
  private VerbenaServer server;
  private VerbenaClient client;
  private Session session;

  private final Tables tables =
      () -> {
        Regions regions = CallContext.current().session().regions();
        ExposedRegion exposed =
            regions.expose(memory, READ | WRITE | ATOMIC, Duration.ofMinutes(5));
        return exposed.ref();
      };

  @BeforeEach
  void open() {
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(TablesRpc.bind(tables))
            .drainTime(Duration.ofMillis(100))
            .start();
    client = VerbenaClient.builder().build();
    session = client.connect(server.address().toString());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    arena.close();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  @Test
  void membersAreReachedByTheirNames() throws Exception {
    RegionRef ref = TablesRpc.client(session).open();
    RegionView third = RegionView.of(session.regions(), ref, 0, ACCOUNT).at(2);
    long euros = third.getAndAdd(100, groupElement("euros")).get();
    boolean paid = third.compareAndSet(100, 60, groupElement("euros")).get();
    MemorySegment account = third.get().get();
    assertThat(euros).isZero();
    assertThat(paid).isTrue();
    assertThat(account.get(JAVA_LONG, 8)).isEqualTo(60);
    assertThat(memory.get(JAVA_LONG, 2 * ACCOUNT.byteSize() + 8)).isEqualTo(60);
    get(third.putLong(7, groupElement("cents")));
    assertThat(get(third.getLong(groupElement("cents")))).isEqualTo(7);
    account.set(JAVA_LONG, 16, 9);
    get(third.put(account));
    assertThat(get(third.getLong(groupElement("cents")))).isEqualTo(9);
  }

  @Test
  void whatIsNotThereIsRefused() {
    RegionRef ref = TablesRpc.client(session).open();
    RegionView first = RegionView.of(session.regions(), ref, 0, ACCOUNT);
    assertThatThrownBy(() -> first.at(ACCOUNTS)).hasMessageContaining("offset");
    assertThatThrownBy(() -> first.at(-1)).hasMessageContaining("offset");
    assertThatThrownBy(() -> first.getLong(groupElement("yen")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> first.put(memory)).hasMessageContaining("24 bytes");
  }

  @Test
  void itsOwnerFreesTheMemoryOfARegionThatHasEnded() throws Exception {
    Regions regions = session.regions();
    Arena arena = Arena.ofShared(); // outside the heap, and for all threads: or Arena.ofAuto()
    MemorySegment memory = arena.allocate(1 << 20, 8); // atomics need multiples of 8
    ExposedRegion exposed = regions.expose(memory, READ | ATOMIC, Duration.ofMinutes(5));
    exposed.renew(Duration.ofMinutes(5)); // now and then, while it is wanted
    assertThat(exposed.isOpen()).isTrue();
    exposed.close();
    exposed.ended().get(); // nobody reads or writes it for the peer any more
    arena.close();
    assertThat(exposed.isOpen()).isFalse();
  }

  @Test
  void aMemberIsChangedAtomically() throws Exception {
    RegionRef ref = TablesRpc.client(session).open();
    RegionView first = RegionView.of(session.regions(), ref, 0, ACCOUNT);
    get(first.putLong(21, groupElement("euros")));
    long euros = first.getLong(groupElement("euros")).get();
    while (!first.compareAndSet(euros, 2 * euros, groupElement("euros")).get()) {
      euros = first.getLong(groupElement("euros")).get(); // somebody else was first
    }
    assertThat(get(first.getLong(groupElement("euros")))).isEqualTo(42);
  }

  @Test
  void aVersionedReadIsNeverTorn() throws Exception {
    RegionRef ref = TablesRpc.client(session).open();
    RegionView first = RegionView.of(session.regions(), ref, 0, ACCOUNT);
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (long i = 1; !over.get(); i++) {
                    long amount = i;
                    RegionView.change(
                        memory,
                        ACCOUNT,
                        () -> {
                          memory.set(JAVA_LONG, 8, amount);
                          LockSupport.parkNanos(20_000); // many a read finds it torn
                          memory.set(JAVA_LONG, 16, -amount);
                        },
                        groupElement("version"));
                    LockSupport.parkNanos(20_000); // else no read may find it at rest
                  }
                });
    try {
      for (int i = 0; i < 500; i++) {
        MemorySegment account = first.getVersioned(groupElement("version")).get();
        assertThat(account.get(JAVA_LONG, 8)).isEqualTo(-account.get(JAVA_LONG, 16));
      }
    } finally {
      over.set(true);
      writer.join();
    }
  }

  @Test
  void aStructThatIsWrittenForEverIsReadUntilTheTimeIsOver() {
    RegionRef ref = TablesRpc.client(session).open();
    memory.set(JAVA_LONG, 0, 1);
    Regions regions = session.regions().withTimeout(Duration.ofSeconds(1));
    RegionView first = RegionView.of(regions, ref, 0, ACCOUNT);
    assertThat(first.getVersioned(groupElement("version")))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            VerbenaException.class,
            e -> {
              assertThat(e.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
              assertThat(e).hasMessageContaining("met a concurrent write");
            });
  }
}
