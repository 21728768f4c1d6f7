package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A balancer of connections stands before two servers, and gives each the next one by turns. */
class BalancedConnectionsTest {
  private final CountDownLatch staying = new CountDownLatch(1);
  private final VerbenaServer first = server();
  private final VerbenaServer second = server();
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final ServerSocket balancer;

  BalancedConnectionsTest() throws IOException {
    balancer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::balance);
  }

  private VerbenaServer server() {
    House house =
        new PlainHouse() {
          @Override
          public String stay() {
            staying.countDown();
            return super.stay();
          }
        };
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .serve(HouseRpc.bind(house))
        .drainTime(Duration.ZERO) // a call stays
        .start();
  }

  private void balance() {
    try {
      for (int turn = 0; true; turn++) {
        Socket client = balancer.accept();
        VerbenaServer server = turn % 2 == 0 ? first : second;
        Socket onward = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        open.addAll(List.of(client, onward));
        Thread.ofVirtual().start(() -> pass(client, onward));
        Thread.ofVirtual().start(() -> pass(onward, client));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static void pass(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // It was cut.
    }
  }

  private void cut() {
    for (Socket each : open) {
      try {
        each.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    balancer.close();
    cut();
    first.close();
    second.close();
  }

  @Test
  void aCallWhoseSessionCannotResumeSaysThatAnotherServerAnswered() throws Exception {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      Session session = client.connect("127.0.0.1:" + balancer.getLocalPort());
      CompletableFuture<String> call = HouseRpc.async(session).stay().toCompletableFuture();
      staying.await();
      cut();
      assertThat(call)
          .failsWithin(30, TimeUnit.SECONDS)
          .withThrowableThat()
          .havingRootCause()
          .isInstanceOfSatisfying(
              RpcException.class,
              failure -> {
                assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
                assertThat(failure.execution()).isEqualTo(Execution.UNKNOWN);
                assertThat(failure)
                    .hasMessageContaining("this is not the server that opened session")
                    .hasMessageContaining("balancer");
              });
      assertThat(HouseRpc.client(session).add(3)).isEqualTo(4);
    }
  }
}
