package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.core.CarriedCalls;
import io.verbena.core.CarriedPieces;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many streams of one session, or threads of one stream, and the end of either. */
@Timeout(100)
class CrowdedStreamsTest {
  /** The fewest calls that a session may be limited to, and the streams that these leave. */
  private static final int LEAST_CALLS = 64;

  private static final int STREAMS = 48;

  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (ManagedChannel channel : channels) {
      assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
    for (Server server : servers) {
      assertThat(server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private Server serve(ServerBuilder<?> builder, Handler handler) throws IOException {
    TestServiceGrpc.TestServiceImplBase service =
        new TestServiceGrpc.TestServiceImplBase() {
          @Override
          public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
              StreamObserver<StreamingOutputCallResponse> response) {
            return handler.handle((ServerCallStreamObserver<StreamingOutputCallResponse>) response);
          }
        };
    Server server = builder.addService(service).build().start();
    servers.add(server);
    return server;
  }

  private ManagedChannel open(ManagedChannelBuilder<?> builder) {
    ManagedChannel channel = builder.build();
    channels.add(channel);
    return channel;
  }

  /** Opens a channel to a server of its own, which answers each message. */
  private ManagedChannel toEcho(Transport transport) throws IOException {
    return open(transport.channel(serve(transport.server(), Requests::new).getPort()));
  }

  private static StreamingOutputCallResponse message(int bytes) {
    return StreamingOutputCallResponse.newBuilder()
        .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes])))
        .build();
  }

  /** A call whose end is known, and the bytes that have come. */
  private static class Call extends ClientCall.Listener<StreamingOutputCallResponse> {
    final CompletableFuture<Status> end = new CompletableFuture<>();
    final CompletableFuture<Boolean> first = new CompletableFuture<>();
    final AtomicLong bytes = new AtomicLong();
    final AtomicInteger messages = new AtomicInteger();
    final ClientCall<StreamingOutputCallRequest, StreamingOutputCallResponse> call;

    Call(ManagedChannel channel) {
      this(channel, CallOptions.DEFAULT);
    }

    Call(ManagedChannel channel, CallOptions options) {
      this(channel, TestServiceGrpc.getFullDuplexCallMethod(), options);
    }

    Call(
        ManagedChannel channel,
        MethodDescriptor<StreamingOutputCallRequest, StreamingOutputCallResponse> method,
        CallOptions options) {
      call = channel.newCall(method, options);
    }

    Call start() {
      return start(new Metadata());
    }

    Call start(Metadata headers) {
      call.start(this, headers);
      call.request(Integer.MAX_VALUE);
      return this;
    }

    Call send(int bytes) {
      call.sendMessage(
          StreamingOutputCallRequest.newBuilder()
              .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes])))
              .build());
      return this;
    }

    Status.Code code() throws Exception {
      return end.get(30, TimeUnit.SECONDS).getCode();
    }

    @Override
    public void onMessage(StreamingOutputCallResponse message) {
      first.complete(true);
      messages.incrementAndGet();
      bytes.addAndGet(message.getPayload().getBody().size());
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end.complete(status);
      first.complete(false);
    }
  }

  /** Makes what takes the requests of a call. */
  private interface Handler {
    Requests handle(ServerCallStreamObserver<StreamingOutputCallResponse> response);
  }

  /** Takes requests: answers each with a message of its length, and ends with the client. */
  private static class Requests implements StreamObserver<StreamingOutputCallRequest> {
    final StreamObserver<StreamingOutputCallResponse> response;

    Requests(StreamObserver<StreamingOutputCallResponse> response) {
      this.response = response;
    }

    @Override
    public void onNext(StreamingOutputCallRequest item) {
      response.onNext(message(item.getPayload().getBody().size()));
    }

    @Override
    public void onError(Throwable thrown) {}

    @Override
    public void onCompleted() {
      response.onCompleted();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shareTheWindowThoughNoneOfThemUsesMuch(Transport transport) throws Exception {
    int streams = 100;
    int each = 15;
    int bytes = 60_000;
    ManagedChannel channel = toEcho(transport);
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      calls.add(new Call(channel).start());
    }
    for (int i = 0; i < each; i++) {
      calls.forEach(call -> call.send(bytes));
    }
    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> calls.stream().allMatch(call -> call.messages.get() == each));
  }

  @ParameterizedTest
  @EnumSource
  void goOnWhileTheirServerDrains(Transport transport) throws Exception {
    int bytes = 10_000;
    int messages = 1_200;
    CountDownLatch go = new CountDownLatch(1);
    Server server =
        serve(
            transport.server(),
            response -> {
              AtomicInteger sent = new AtomicInteger();
              response.onNext(message(1));
              response.setOnReadyHandler(
                  () -> {
                    try {
                      assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    while (response.isReady() && sent.get() < messages) {
                      response.onNext(message(bytes));
                      if (sent.incrementAndGet() == messages) {
                        response.onCompleted();
                      }
                    }
                  });
              return new Requests(response);
            });
    ManagedChannel channel = open(transport.channel(server.getPort()));
    Call call = new Call(channel).start();
    assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();

    server.shutdown();
    await().until(() -> channel.getState(false) != ConnectivityState.READY);
    go.countDown();

    assertThat(call.code()).isEqualTo(Status.Code.OK);
    assertThat(call.bytes).hasValue(1 + (long) messages * bytes);
  }

  /** A handler on the loop must not overtake what another thread has sent before it. */
  @ParameterizedTest
  @EnumSource
  void keepTheOrderOfTheirThreads(Transport transport) throws Exception {
    Server server =
        serve(
            transport.server().directExecutor(),
            response -> {
              return new Requests(response) {
                @Override
                public void onCompleted() {
                  CompletableFuture.runAsync(() -> response.onNext(message(20_000))).join();
                  response.onNext(message(10));
                  response.onCompleted();
                }
              };
            });
    Call call = new Call(open(transport.channel(server.getPort()))).start();
    call.call.halfClose();

    assertThat(call.code()).isEqualTo(Status.Code.OK);
    assertThat(call.bytes).hasValue(20_010);
  }

  /** At the start gRPC tells the stream after its handler, which may have written by then. */
  @ParameterizedTest
  @EnumSource
  void keepTheOrderOfAHandlerThatWritesAtOnce(Transport transport) throws Exception {
    Server server =
        serve(
            transport.server().directExecutor(),
            response -> {
              AtomicInteger more = new AtomicInteger();
              response.setOnReadyHandler(
                  () -> {
                    if (more.getAndIncrement() < 3) {
                      response.onNext(message(5));
                    }
                  });
              response.onNext(message(100_000));
              response.onNext(message(50_000));
              return new Requests(response);
            });
    Call call = new Call(open(transport.channel(server.getPort()))).start();
    assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
    call.call.halfClose();

    assertThat(call.code()).isEqualTo(Status.Code.OK);
    assertThat(call.bytes.get()).isBetween(150_000L, 150_015L);
  }

  private Server few() throws IOException {
    return serve(
        VerbenaServerBuilder.forAddress("127.0.0.1:0")
            .limits(SessionLimits.DEFAULT.withMaxCalls(LEAST_CALLS)),
        Requests::new);
  }

  private List<Call> held(ManagedChannel channel) throws Exception {
    List<Call> held = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      Call call = new Call(channel).start().send(1);
      assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
      held.add(call);
    }
    return held;
  }

  @Test
  void thatEndWhileTheyOpenTakeNoPlaceOfOthers() throws Exception {
    ManagedChannel channel = open(Transport.VERBENA.channel(few().getPort()));
    List<Call> held = held(channel);
    List<Call> cancelled = new ArrayList<>();
    List<Call> waiting = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      cancelled.add(
          new Call(channel, CallOptions.DEFAULT.withExecutor(Runnable::run)) {
            @Override
            public void onReady() {
              call.cancel("not needed", null);
            }
          }.start());
      waiting.add(new Call(channel).start().send(1));
    }

    held.forEach(call -> call.call.halfClose());

    for (Call call : waiting) {
      assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
    }
    for (Call call : cancelled) {
      assertThat(call.code()).isEqualTo(Status.Code.CANCELLED);
    }
  }

  @Test
  void endWithTheirClientThoughSomeWait() throws Exception {
    VerbenaClient client = VerbenaClient.builder().build();
    List<Call> calls = new ArrayList<>();
    try (client) {
      ManagedChannel channel =
          open(
              VerbenaChannelBuilder.forAddress("127.0.0.1", few().getPort())
                  .usePlaintext()
                  .client(client));
      calls.addAll(held(channel));
      for (int i = 0; i < 5; i++) {
        calls.add(new Call(channel).start().send(1));
      }
    }
    for (Call call : calls) {
      assertThat(call.code()).isNotEqualTo(Status.Code.OK);
    }
  }

  /** Its answer may be there, and wait for the message. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endWhenALongMessageDoesNotArrive(boolean completes) throws Exception {
    Server server =
        serve(
            VerbenaServerBuilder.forAddress("127.0.0.1:0"),
            response -> {
              response.onNext(message(1));
              return new Requests(response) {
                @Override
                public void onNext(StreamingOutputCallRequest item) {
                  response.onNext(message(1 << 20));
                  if (completes) {
                    response.onCompleted();
                  }
                }
              };
            });
    Opened session = new Opened();
    ManagedChannel channel =
        open(
            VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .engine(engine -> engine.sessionListener(session)));
    Call call = new Call(channel).start();
    assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
    CarriedCalls.onPush(session.opened(), new NoMemory());
    call.send(1);

    assertThat(call.code()).isNotEqualTo(Status.Code.OK);
  }

  /** Such as for lack of memory. Nothing would make it again, and its stream would wait for it. */
  @Test
  void endWhenTheirServerCannotTakeAPiece() throws Exception {
    Server server = serve(VerbenaServerBuilder.forAddress("127.0.0.1:0"), Requests::new);
    Opened session = new Opened();
    ManagedChannel channel =
        open(
            VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .engine(engine -> engine.sessionListener(session)));
    Call call = new Call(channel).start().send(1);
    assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();

    session
        .opened()
        .caller(GrpcContract.SERVICE, io.verbena.api.CallOptions.DEFAULT)
        .send(GrpcContract.PIECE, out -> out.writeBytes(new byte[] {-1, -1, -1}));

    assertThat(call.code()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  /** The session of a channel. */
  private static final class Opened implements SessionListener {
    private final CompletableFuture<Session> session = new CompletableFuture<>();

    Session opened() throws Exception {
      return session.get(20, TimeUnit.SECONDS);
    }

    @Override
    public void opened(Session opened) {
      session.complete(opened);
    }
  }

  /** Has no memory for long pieces. */
  private static final class NoMemory extends CarriedPieces {
    @Override
    protected @Nullable ByteBuffer memory(long length) {
      return null;
    }

    @Override
    protected void arrived(long id, int sequence, boolean last, ByteBuffer memory, int length) {
      throw new AssertionError("it was refused");
    }

    @Override
    protected void lost(ByteBuffer memory, int length) {}

    @Override
    protected void refused(String why) {
      throw new AssertionError(why);
    }
  }

  /** A call of a method that takes one message, which waits for that message. */
  private Call unsent(ManagedChannel channel) throws Exception {
    Call first = new Call(channel).start().send(1);
    assertThat(first.first.get(20, TimeUnit.SECONDS)).isTrue();
    first.call.halfClose();
    assertThat(first.code()).isEqualTo(Status.Code.OK);
    return new Call(channel, TestServiceGrpc.getStreamingOutputCallMethod(), CallOptions.DEFAULT)
        .start();
  }

  @ParameterizedTest
  @EnumSource
  void thatHaveSentNothingEndWithTheirChannel(Transport transport) throws Exception {
    ManagedChannel channel = toEcho(transport);
    Call call = unsent(channel);

    channel.shutdownNow();

    assertThat(call.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(channel.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void thatHaveStartedAreSentAfterTheirChannelWasShutDown(Transport transport) throws Exception {
    ManagedChannel channel = toEcho(transport);
    Call call = unsent(channel);

    channel.shutdown();
    await().until(() -> channel.getState(false) == ConnectivityState.SHUTDOWN);
    call.send(1).call.halfClose();

    assertThat(call.code()).as("what the server answers").isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(channel.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void endThoughTheListenerOfAnotherCannotBeTold() throws Exception {
    ManagedChannel channel = toEcho(Transport.VERBENA);
    AtomicBoolean full = new AtomicBoolean();
    CallOptions rejected =
        CallOptions.DEFAULT.withExecutor(
            task -> {
              if (full.get()) {
                throw new RejectedExecutionException("full");
              }
              task.run();
            });
    List<Call> told = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      Call untold = new Call(channel, rejected).start().send(1);
      Call call = new Call(channel).start().send(1);
      assertThat(untold.first.get(20, TimeUnit.SECONDS)).isTrue();
      assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
      told.add(call);
    }
    full.set(true);

    channel.shutdownNow();

    for (Call call : told) {
      assertThat(call.code()).isEqualTo(Status.Code.UNAVAILABLE);
    }
  }

  /** A marshaller of users may throw when the headers are written. */
  @Test
  void thatCannotBeSentEndAndTakeNoPlaceOfOthers() throws Exception {
    ManagedChannel channel = open(Transport.VERBENA.channel(few().getPort()));
    Metadata.BinaryStreamMarshaller<String> throwing =
        new Metadata.BinaryStreamMarshaller<>() {
          @Override
          public InputStream toStream(String value) {
            throw new IllegalStateException("a mistake, on purpose");
          }

          @Override
          public String parseStream(InputStream stream) {
            return "";
          }
        };
    Metadata.Key<String> key = Metadata.Key.of("thrown-bin", throwing);
    for (int i = 0; i < 2 * STREAMS; i++) {
      Metadata headers = new Metadata();
      headers.put(key, "value");
      assertThat(new Call(channel).start(headers).code()).isEqualTo(Status.Code.INTERNAL);
    }

    Call call = new Call(channel).start().send(1);

    assertThat(call.first.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void endWhereASessionTakesNoMessageOfTheirLength() throws Exception {
    Server server = serve(VerbenaServerBuilder.forAddress("127.0.0.1:0"), Requests::new);
    SessionLimits limits = SessionLimits.DEFAULT.withMaxMessageBytes(4096);
    ManagedChannel channel =
        open(
            VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .engine(engine -> engine.limits(limits)));

    assertThat(new Call(channel).start().send(20_000).code()).isNotEqualTo(Status.Code.OK);
  }

  @Test
  void endWhereAnExecutorOfTheServerTakesNoMore() throws Exception {
    Server server =
        serve(
            VerbenaServerBuilder.forAddress("127.0.0.1:0")
                .executor(
                    task -> {
                      throw new RejectedExecutionException("full");
                    }),
            Requests::new);
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("long", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(7_000));
    Call call = new Call(open(Transport.VERBENA.channel(server.getPort())));

    assertThat(call.start(headers).send(5_000).code()).isNotEqualTo(Status.Code.OK);
  }
}
