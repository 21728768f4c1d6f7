package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose heap a peer fills: its event loops go on, and whoever comes next is served. */
@Tag("long")
@Timeout(180)
class FullHeapTest {
  private static final int CALLS = 60;
  private static final int ITEM = 100 << 10;
  private static final int LOOPS = 2;

  /** The contract. */
  @RpcService(name = "cellar.v1")
  interface Cellar {
    @RpcMethod(id = 1, timeout = "20s")
    long pour(Flow.Publisher<byte[]> barrels);

    @RpcMethod(id = 2, nonBlocking = true)
    long look(int number);

    @RpcMethod(id = 3, timeout = "20s")
    long keep(byte[] barrel);
  }

  @Test
  void streamsThatFillTheHeapLeaveEveryLoopAlive() throws Exception {
    try (JavaProcess server = server();
        VerbenaClient client = Unhurried.client().build()) {
      String address = server.line();
      Cellar cellar = FullHeapTest_CellarRpc.client(client.connect(address));
      List<CompletableFuture<Long>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(
            CompletableFuture.supplyAsync(
                () ->
                    cellar.pour(Streams.of(IntStream.range(0, 400).mapToObj(n -> new byte[ITEM]))),
                task -> Thread.ofVirtual().start(task)));
      }
      calls.forEach(FullHeapTest::over);
      everyLoopServes(server, address);
    }
  }

  @Test
  void messagesThatFillTheHeapFailAloneAndNobodyIsBlamed() throws Exception {
    try (JavaProcess server = server();
        VerbenaClient client = Unhurried.client().build()) {
      String address = server.line();
      FullHeapTest_CellarRpc.Async cellar = FullHeapTest_CellarRpc.async(client.connect(address));
      List<CompletableFuture<Long>> calls = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        calls.add(cellar.keep(new byte[300_000]).toCompletableFuture());
      }
      calls.forEach(FullHeapTest::over);
      assertThat(calls)
          .filteredOn(CompletableFuture::isCompletedExceptionally)
          .allSatisfy(
              call -> assertThat(call.exceptionNow()).hasMessageNotContaining("protocol error"));
      everyLoopServes(server, address);
    }
  }

  private static JavaProcess server() throws Exception {
    return JavaProcess.start(List.of("-Xmx64m"), CellarProcess.class);
  }

  /** It has an answer, or fails: within its deadline, and somewhat. */
  private static void over(CompletableFuture<?> call) {
    try {
      call.handle((result, failure) -> failure).get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("a call is not over", e);
    }
  }

  private static void everyLoopServes(JavaProcess server, String address) throws Exception {
    assertThat(server.process().isAlive()).isTrue();
    try (VerbenaClient next = Unhurried.client().build()) {
      for (int i = 0; i < 2 * LOOPS; i++) { // they go to the loops by turns
        Session session = next.connect(address);
        assertThat(FullHeapTest_CellarRpc.client(session).look(i)).isEqualTo(i);
      }
    } catch (RpcException e) {
      throw new AssertionError("a new client is not served", e);
    }
  }

  /** The server. */
  static final class CellarProcess {
    public static void main(String[] arguments) throws Exception {
      VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .loops(LOOPS)
              .serve(FullHeapTest_CellarRpc.bind(new Vaults()))
              .start();
      System.out.println("127.0.0.1:" + server.address().getPort());
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(0);
    }
  }

  private static final class Vaults implements Cellar {
    @Override
    public long pour(Flow.Publisher<byte[]> barrels) {
      long bytes = 0;
      StreamIterator<byte[]> poured = Streams.iterate(barrels);
      while (poured.hasNext()) {
        byte[] barrel = poured.next();
        bytes += barrel.length;
        LockSupport.parkNanos(50_000_000);
      }
      return bytes;
    }

    @Override
    public long look(int number) {
      return number;
    }

    @Override
    public long keep(byte[] barrel) {
      LockSupport.parkNanos(500_000_000);
      return barrel.length;
    }
  }
}
