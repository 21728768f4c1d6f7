package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Health;
import io.verbena.channel.HealthBoard;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that compute on every carrier of the virtual threads: Verbena's own work goes on. */
@Timeout(60)
class BusyCarriersTest {
  /** The contract. */
  @RpcService(name = "smithy.v1")
  interface Smithy {
    @RpcMethod(id = 1, timeout = "1m")
    int forge(int iron);

    @RpcMethod(id = 2, nonBlocking = true)
    int look(int number);
  }

  @Tag("long")
  @Test
  void newSessionsOpenAndListenersHearThoughHandlersBurnEveryCarrier() throws Exception {
    List<String> oneCarrier =
        List.of(
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");
    try (JavaProcess server = JavaProcess.start(oneCarrier, SmithyProcess.class);
        VerbenaClient first = client();
        VerbenaClient second = client()) {
      String address = server.line();
      Session session = first.connect(address);
      assertThat(server.line()).isEqualTo("opened");
      BusyCarriersTest_SmithyRpc.async(session).forge(1);
      assertThat(server.line()).isEqualTo("forging");
      // To be let in takes a decider here, and to be told of it a listener.
      Session late = second.connect(address);
      assertThat(BusyCarriersTest_SmithyRpc.client(late).look(1)).isEqualTo(2);
      assertThat(server.line()).isEqualTo("opened");
      // A server that has no answer counts as before, which at first is well.
      try (BalancedChannel channel =
          BalancedChannel.builder(second, "static:" + address)
              .health("the fire", Duration.ofSeconds(1))
              .build()) {
        await() // the next question has its answer where the first took too long
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () ->
                    assertThatThrownBy(() -> BusyCarriersTest_SmithyRpc.client(channel).look(2))
                        .hasMessageContaining("says that it is NOT_SERVING"));
      }
    }
  }

  private static VerbenaClient client() {
    return VerbenaClient.builder()
        .token(() -> "good")
        .connectTimeout(Duration.ofSeconds(20))
        .build();
  }

  /** The server. */
  static final class SmithyProcess {
    public static void main(String[] arguments) throws Exception {
      HealthBoard board = new HealthBoard();
      board.set("the fire", Health.Status.NOT_SERVING);
      VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .connectTimeout(Duration.ofSeconds(20))
              .authenticator(shown -> "a friend")
              .sessionListener(
                  new SessionListener() {
                    @Override
                    public void opened(Session session) {
                      System.out.println("opened");
                    }
                  })
              .serve(BusyCarriersTest_SmithyRpc.bind(new Hearth()))
              .serve(HealthRpc.bind(board))
              .start();
      System.out.println("127.0.0.1:" + server.address().getPort());
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(0);
    }
  }

  private static final class Hearth implements Smithy {
    @Override
    public int forge(int iron) {
      System.out.println("forging");
      while (true) {
        Thread.onSpinWait();
      }
    }

    @Override
    public int look(int number) {
      return number + 1;
    }
  }
}
