package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.verbena.testkit.JavaProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that has no memory for what a client sends. */
@Timeout(150)
class SmallMemoryTest {
  private static final int LONG_BYTES = 160 << 20;

  /** A server whose clients may send messages of any length. */
  static final class Small {
    private Small() {}

    public static void main(String[] args) throws Exception {
      TestServiceGrpc.TestServiceImplBase service =
          new TestServiceGrpc.TestServiceImplBase() {
            @Override
            public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> response) {
              response.onNext(SimpleResponse.getDefaultInstance());
              response.onCompleted();
            }
          };
      Server server =
          VerbenaServerBuilder.forAddress("127.0.0.1:0")
              .maxInboundMessageSize(Integer.MAX_VALUE)
              .addService(service)
              .build()
              .start();
      System.out.println("port " + server.getPort());
      JavaProcess.endWithParent();
      boolean ended = server.shutdown().awaitTermination(20, TimeUnit.SECONDS);
      System.out.println("ended " + ended);
      System.exit(0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void failsTheCallOrItsConnectionAndServesTheNextAndEnds(Transport transport) throws Exception {
    List<String> options = List.of("-Xmx128m");
    try (JavaProcess server = JavaProcess.start(options, Small.class)) {
      int port = Integer.parseInt(server.lineAfter("port "));
      StatusRuntimeException failure =
          catchThrowableOfType(
              StatusRuntimeException.class, () -> call(transport, port, LONG_BYTES));
      assertThat(failure.getStatus().getCode()).isNotEqualTo(Status.Code.DEADLINE_EXCEEDED);
      if (transport == Transport.VERBENA) {
        assertThat(failure)
            .hasMessageStartingWith("RESOURCE_EXHAUSTED")
            .hasMessageContaining("memory");
      }
      call(transport, port, 10);

      server.endInput();

      assertThat(server.lineAfter("ended ", Duration.ofSeconds(40))).isEqualTo("true");
    }
  }

  private static void call(Transport transport, int port, int bytes) throws InterruptedException {
    ManagedChannel channel = transport.channel(port).build();
    try {
      Payload payload =
          Payload.newBuilder().setBody(UnsafeByteOperations.unsafeWrap(new byte[bytes])).build();
      SimpleResponse _ =
          TestServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(40, TimeUnit.SECONDS)
              .unaryCall(SimpleRequest.newBuilder().setPayload(payload).build());
    } finally {
      assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
