package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.verbena.core.PathPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No unary call fails or is executed twice, whatever happens to connections and servers. */
@Timeout(150)
class ExactlyOnceTest {
  private static final int CALLERS = 32;

  /** Counts how often each request was executed. */
  private static final class Counting extends TestServiceGrpc.TestServiceImplBase {
    private final AtomicIntegerArray executed;

    Counting(int calls) {
      this.executed = new AtomicIntegerArray(calls);
    }

    @Override
    public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> response) {
      executed.incrementAndGet(request.getPayload().getBody().asReadOnlyByteBuffer().getInt());
      response.onNext(SimpleResponse.newBuilder().setPayload(request.getPayload()).build());
      response.onCompleted();
    }
  }

  private static Server serve(int port, Counting service) throws IOException {
    return serve(port, service, new CountDownLatch(1));
  }

  private static Server serve(int port, Counting service, CountDownLatch connected)
      throws IOException {
    ServerTransportFilter filter =
        new ServerTransportFilter() {
          @Override
          public Attributes transportReady(Attributes attributes) {
            connected.countDown();
            return attributes;
          }
        };
    return VerbenaServerBuilder.forAddress("127.0.0.1:" + port)
        .engine(engine -> engine.path(PathPolicy.TCP_ONLY)) // shared memory would survive a cut
        .addService(service)
        .addTransportFilter(filter)
        .build()
        .start();
  }

  /** Calls with the numbers from 0, by several threads. */
  private static final class Callers {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    Callers(ManagedChannel channel, int calls) {
      TestServiceGrpc.TestServiceBlockingStub stub = TestServiceGrpc.newBlockingStub(channel);
      for (int i = 0; i < CALLERS; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      int number;
                      while ((number = next.getAndIncrement()) < calls) {
                        call(stub, number);
                      }
                    }));
      }
    }

    private void call(TestServiceGrpc.TestServiceBlockingStub stub, int number) {
      ByteString body = ByteString.copyFrom(ByteBuffer.allocate(64).putInt(0, number));
      SimpleRequest request =
          SimpleRequest.newBuilder().setPayload(Payload.newBuilder().setBody(body)).build();
      try {
        assertThat(stub.unaryCall(request).getPayload()).isEqualTo(request.getPayload());
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }

    void awaitNumber(int number) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(60))
          .until(() -> next.get() >= number);
    }

    void check(Counting service) throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failures).isEmpty();
      for (int i = 0; i < service.executed.length(); i++) {
        assertThat(service.executed.get(i)).as("executions of call %d", i).isEqualTo(1);
      }
    }
  }

  /** Passes bytes between clients and a server. */
  private static final class Wire implements AutoCloseable {
    private final ServerSocket listening =
        new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

    Wire(int server) throws IOException {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  while (true) {
                    Socket client = listening.accept();
                    Socket onward = new Socket(InetAddress.getLoopbackAddress(), server);
                    open.add(client);
                    open.add(onward);
                    Thread.ofVirtual().start(() -> pass(client, onward));
                    Thread.ofVirtual().start(() -> pass(onward, client));
                  }
                } catch (IOException e) {
                  // closed: the test is over
                }
              });
    }

    private static void pass(Socket from, Socket to) {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // cut
      }
    }

    int port() {
      return listening.getLocalPort();
    }

    /** Resets every connection, whatever is under way. Returns whether there was one. */
    boolean cut() throws IOException {
      boolean any = false;
      Socket one;
      while ((one = open.poll()) != null) {
        try (Socket cut = one) {
          cut.setSoLinger(true, 0);
          any = true;
        } catch (SocketException e) {
          // Its other end closed it before, perhaps at this moment.
        }
      }
      return any;
    }

    @Override
    public void close() throws IOException {
      listening.close();
      boolean _ = cut();
    }
  }

  @Test
  void survivesFourCutLinks() throws Exception {
    survives(4, 4_000);
  }

  @Test
  @Tag("long")
  void survivesAHundredCutLinks() throws Exception {
    survives(100, 100_000);
  }

  private static void survives(int cuts, int calls) throws Exception {
    Counting service = new Counting(calls);
    Server server = serve(0, service);
    try (Wire wire = new Wire(server.getPort())) {
      ManagedChannel channel =
          VerbenaChannelBuilder.forAddress("127.0.0.1", wire.port()).usePlaintext().build();
      try {
        Callers callers = new Callers(channel, calls);
        for (int i = 1; i <= cuts; i++) {
          callers.awaitNumber(i * (calls / (cuts + 1)));
          assertThat(wire.cut()).isTrue();
        }
        callers.check(service);
      } finally {
        channel.shutdownNow();
      }
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void survivesARollingRestart() throws Exception {
    int calls = 30_000;
    Counting service = new Counting(calls);
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers.add(serve(0, service));
    }
    ManagedChannel channel =
        VerbenaChannelBuilder.forTarget(
                "verbena:///"
                    + String.join(
                        ",", servers.stream().map(one -> "127.0.0.1:" + one.getPort()).toList()))
            .usePlaintext()
            .defaultLoadBalancingPolicy("round_robin")
            .build();
    try {
      Callers callers = new Callers(channel, calls);
      for (int i = 0; i < servers.size(); i++) {
        callers.awaitNumber((i + 1) * (calls / 4));
        Server old = servers.get(i);
        int port = old.getPort();
        assertThat(old.shutdown().awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        CountDownLatch back = new CountDownLatch(1);
        servers.set(i, serve(port, service, back));
        channel.resetConnectBackoff(); // the next one ends when this one is in use again
        assertThat(back.await(30, TimeUnit.SECONDS)).isTrue();
      }
      callers.check(service);
    } finally {
      channel.shutdownNow();
      servers.forEach(Server::shutdownNow);
    }
  }
}
