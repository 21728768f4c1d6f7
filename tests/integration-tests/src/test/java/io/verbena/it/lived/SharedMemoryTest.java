package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.Streams;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Peers that stop in the middle, and what the others of the same client or server notice: nothing.
 */
@Tag("long")
class SharedMemoryTest {
  private static final List<String> SMALL_HEAP =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");

  private static final int SECONDS = 30;
  private static final int PEERS = 4;

  /** Four fit the 64 MiB that all long arguments on arrival have together, and leave little. */
  private static final int LARGE = 15 << 20;

  /** Fits what each session is guaranteed of that. */
  private static final int MODEST = 6 << 20;

  /** All of the peers ask for twice of what the server's heap has. */
  private static final int ASKED = 500;

  private static final int RESULT_BYTES = 250_000;

  private static final CallOptions IN_TIME = CallOptions.timeout(Duration.ofSeconds(30));

  /** A client that was stopped gets all its answers, however slow the machine is. */
  private static final CallOptions PATIENT = CallOptions.timeout(Duration.ofMinutes(3));

  @Test
  void aClientThatStopsAmidLargeArgumentsHasNobodyElsesRefused() throws Exception {
    try (JavaProcess server = JavaProcess.start(SMALL_HEAP, Server.class, "1")) {
      String address = server.line();
      try (JavaProcess sender = JavaProcess.start(Sender.class, address);
          VerbenaClient client = sendingBeside();
          Session session = client.connect(address)) {
        sender.line(); // it sends one argument after another, so it stops in the middle of some
        sender.freeze();
        Warehouse warehouse = WarehouseRpc.client(session, IN_TIME);
        for (int i = 0; i < 30; i++) {
          assertThat(warehouse.store(new byte[MODEST])).isEqualTo(MODEST);
        }
      }
    }
  }

  /** Results that follow many short ones of the same method are longer than expected. */
  @ParameterizedTest
  @ValueSource(ints = {0, 200})
  void clientsThatAskForMuchAndReadNothingLeaveTheServerItsMemory(int shortOnes) throws Exception {
    try (JavaProcess server = JavaProcess.start(SMALL_HEAP, Server.class, "1")) {
      String address = server.line();
      try (JavaProcess askers = JavaProcess.start(Askers.class, address, "" + shortOnes);
          VerbenaClient client = Unhurried.client().build();
          Session session = client.connect(address)) {
        askers.line();
        askers.freeze();
        Warehouse warehouse = WarehouseRpc.client(session, IN_TIME);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
        while (System.nanoTime() - until < 0) {
          assertThat(warehouse.fetch(RESULT_BYTES)).hasSize(RESULT_BYTES);
        }
        askers.thaw();
        assertThat(askers.line()).isEqualTo("got " + PEERS * ASKED);
      }
    }
  }

  /** The calls of a client of a server with a small heap, until it is stopped. */
  enum Excess {
    /** Sixty streams of items of 100 KiB, which handlers take slowly. */
    STREAMS(60) {
      @Override
      void begin(WarehouseRpc.Async warehouse) {
        byte[] item = new byte[100 << 10];
        warehouse.sort(Streams.of(Stream.generate(() -> item)));
      }
    },
    /** A thousand calls with texts of 300 KB, whose handlers do not end. */
    TEXTS(1000) {
      @Override
      void begin(WarehouseRpc.Async warehouse) {
        warehouse.inspect("x".repeat(300_000));
      }
    },
    /** The same of arrays, which travel beside their messages. */
    ARRAYS(1000) {
      @Override
      void begin(WarehouseRpc.Async warehouse) {
        warehouse.weigh(new byte[300_000]);
      }
    };

    final int calls;

    Excess(int calls) {
      this.calls = calls;
    }

    abstract void begin(WarehouseRpc.Async warehouse);
  }

  @ParameterizedTest
  @EnumSource
  void aClientWhoseHandlersTakeLongLeavesTheServerItsMemory(Excess excess) throws Exception {
    try (JavaProcess server = JavaProcess.start(SMALL_HEAP, Server.class, "1")) {
      String address = server.line();
      try (VerbenaClient client = Unhurried.client().build();
          Session honest = client.connect(address);
          VerbenaClient other = Unhurried.client().largeValueBytes(64 << 10).build();
          Session session = other.connect(address)) {
        Warehouse warehouse = WarehouseRpc.client(honest, IN_TIME);
        WarehouseRpc.Async abused = WarehouseRpc.async(session);
        for (int i = 0; i < excess.calls; i++) {
          excess.begin(abused);
          assertThat(warehouse.next(i)).isEqualTo(i + 1);
        }
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (System.nanoTime() - until < 0) {
          assertThat(warehouse.store(new byte[MODEST / 4])).isEqualTo(MODEST / 4);
        }
      }
    }
  }

  @Test
  void serversThatStopTakeNoSlotFromTheOneThatDoesNot() throws Exception {
    try (JavaProcess servers = JavaProcess.start(Server.class, Integer.toString(PEERS));
        VerbenaServer healthy = server();
        VerbenaClient client = Unhurried.client().build()) {
      List<Session> stopped = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        stopped.add(client.connect(servers.line()));
      }
      Session session = client.connect(healthy.address().toString());
      WarehouseRpc.Async warehouse = WarehouseRpc.async(session, IN_TIME);
      assertThat(warehouse.next(1).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS))
          .isEqualTo(2);
      servers.freeze();
      for (Session one : stopped) {
        WarehouseRpc.Async stuck = WarehouseRpc.async(one);
        CompletableFuture<Integer> last = new CompletableFuture<>();
        for (int i = 0; i < 1024 && !last.isDone(); i++) {
          last = stuck.next(i).toCompletableFuture(); // done at once: refused for want of a slot
        }
      }
      for (int i = 0; i < 20; i++) {
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int j = 0; j < 100; j++) {
          calls.add(warehouse.next(j).toCompletableFuture());
        }
        for (int j = 0; j < calls.size(); j++) {
          assertThat(calls.get(j).get(SECONDS, TimeUnit.SECONDS)).isEqualTo(j + 1);
        }
      }
    }
  }

  /** A client whose large arguments travel beside their messages, however quick this machine is. */
  private static VerbenaClient sendingBeside() {
    return Unhurried.client().largeValueBytes(1 << 20).build();
  }

  private static VerbenaServer server() throws IOException {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .serve(WarehouseRpc.bind(new Warehouse.Plain()))
        .start();
  }

  /** So many servers; prints where they are. */
  static final class Server {
    private Server() {}

    public static void main(String[] args) throws IOException {
      List<VerbenaServer> all = new ArrayList<>();
      for (int i = 0; i < Integer.parseInt(args[0]); i++) {
        all.add(server());
        System.out.println(all.getLast().address());
      }
      JavaProcess.endWithParent();
    }
  }

  /** A client that sends more large arguments at a time than there is memory for. */
  static final class Sender {
    private Sender() {}

    public static void main(String[] args) throws Exception {
      try (VerbenaClient client = sendingBeside();
          Session session = client.connect(args[0])) {
        Warehouse warehouse = WarehouseRpc.client(session);
        byte[] goods = new byte[LARGE];
        CountDownLatch stored = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) {
          Thread.ofPlatform().daemon().start(() -> sendWithoutEnd(warehouse, goods, stored));
        }
        stored.await();
        System.out.println("sending");
        JavaProcess.endWithParent();
      }
    }

    private static void sendWithoutEnd(Warehouse warehouse, byte[] goods, CountDownLatch stored) {
      while (true) {
        try {
          warehouse.store(goods);
          stored.countDown();
        } catch (RpcException e) {
          assertThat(e.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
        }
      }
    }
  }

  /**
   * Clients that ask for more than there is memory for, after some short results each; prints how
   * many long ones came in the end.
   */
  static final class Askers {
    private Askers() {}

    public static void main(String[] args) throws IOException {
      AtomicInteger got = new AtomicInteger();
      List<CompletableFuture<?>> results = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        Session session = Unhurried.client().build().connect(args[0]);
        WarehouseRpc.Async warehouse = WarehouseRpc.async(session, PATIENT);
        for (int j = 0; j < Integer.parseInt(args[1]); j++) {
          warehouse.fetch(1).toCompletableFuture().join();
        }
        for (int j = 0; j < ASKED; j++) {
          results.add(
              warehouse
                  .fetch(RESULT_BYTES)
                  .thenAccept(result -> got.incrementAndGet())
                  .toCompletableFuture());
        }
      }
      System.out.println("asked");
      for (CompletableFuture<?> result : results) {
        result.join();
      }
      System.out.println("got " + got);
      JavaProcess.endWithParent();
    }
  }
}
