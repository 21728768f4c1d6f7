package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client has not asked for all messages of a call whose server has ended it. The call ends all
 * the same, as it does over gRPC's own transport.
 */
@Timeout(60)
class UnaskedMessagesTest {
  private static final int MOST_MESSAGE = 1000;

  private @Nullable Server server;
  private @Nullable ManagedChannel channel;

  @AfterEach
  void end() throws InterruptedException {
    if (channel != null) {
      assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
    if (server != null) {
      assertThat(server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** A call whose server sends messages of these lengths and ends it. */
  private final class Call extends ClientCall.Listener<StreamingOutputCallResponse> {
    final ClientCall<StreamingOutputCallRequest, StreamingOutputCallResponse> call;
    final CompletableFuture<Status> end = new CompletableFuture<>();
    final CompletableFuture<@Nullable Void> trailers = new CompletableFuture<>();
    private final boolean throwsOnMessage;

    Call(Transport transport, boolean throwsOnMessage, int... lengths) throws Exception {
      this.throwsOnMessage = throwsOnMessage;
      server = transport.server().addService(new Sending(lengths)).build().start();
      channel = transport.channel(server.getPort()).maxInboundMessageSize(MOST_MESSAGE).build();
      call =
          channel.newCall(
              TestServiceGrpc.getStreamingOutputCallMethod(),
              CallOptions.DEFAULT.withStreamTracerFactory(
                  new ClientStreamTracer.Factory() {
                    @Override
                    public ClientStreamTracer newClientStreamTracer(
                        ClientStreamTracer.StreamInfo info, Metadata headers) {
                      return new ClientStreamTracer() {
                        @Override
                        public void inboundTrailers(Metadata given) {
                          trailers.complete(null);
                        }
                      };
                    }
                  }));
      call.start(this, new Metadata());
      call.sendMessage(StreamingOutputCallRequest.getDefaultInstance());
      call.halfClose();
      trailers.get(20, TimeUnit.SECONDS);
    }

    Status.Code end() throws Exception {
      return end.get(20, TimeUnit.SECONDS).getCode();
    }

    @Override
    public void onMessage(StreamingOutputCallResponse message) {
      if (throwsOnMessage) {
        throw new IllegalStateException("a listener that throws");
      }
    }

    @Override
    public void onClose(Status status, Metadata given) {
      end.complete(status);
    }
  }

  private static final class Sending extends TestServiceGrpc.TestServiceImplBase {
    private final int[] lengths;

    Sending(int... lengths) {
      this.lengths = lengths;
    }

    @Override
    public void streamingOutputCall(
        StreamingOutputCallRequest request, StreamObserver<StreamingOutputCallResponse> response) {
      for (int length : lengths) {
        response.onNext(
            StreamingOutputCallResponse.newBuilder()
                .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[length])))
                .build());
      }
      response.onCompleted();
    }
  }

  @ParameterizedTest
  @EnumSource
  void areDroppedWhenTheClientCancels(Transport transport) throws Exception {
    Call call = new Call(transport, false, 10, 10, 10);
    call.call.request(1);

    call.call.cancel("enough", null);

    assertThat(call.end()).isEqualTo(Status.Code.CANCELLED);
  }

  @ParameterizedTest
  @EnumSource
  void areDroppedWhenAListenerThrows(Transport transport) throws Exception {
    Call call = new Call(transport, true, 10, 10, 10);

    call.call.request(1);

    assertThat(call.end()).isEqualTo(Status.Code.CANCELLED);
  }

  @ParameterizedTest
  @EnumSource
  void failTheCallWhenTheyAreTooLong(Transport transport) throws Exception {
    Call call = new Call(transport, false, 10, 2 * MOST_MESSAGE, 10);

    call.call.request(3);

    assertThat(call.end()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  @ParameterizedTest
  @EnumSource
  void areThereWhenTheClientAsks(Transport transport) throws Exception {
    Call call = new Call(transport, false, 10, 10, 10);

    call.call.request(2);
    assertThat(call.end).isNotDone();
    call.call.request(1);

    assertThat(call.end()).isEqualTo(Status.Code.OK);
  }
}
