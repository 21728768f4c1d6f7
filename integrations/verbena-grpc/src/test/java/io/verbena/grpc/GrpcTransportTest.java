package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.NameResolverRegistry;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.internal.GrpcUtil;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ChannelzService;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.TlsTesting;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingInputCallRequest;
import io.grpc.testing.integration.Messages.StreamingInputCallResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.verbena.api.Session;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.transfer.SessionObjects;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of gRPC's users, with Verbena as their target. */
@Timeout(60)
class GrpcTransportTest {
  private static final Context.Key<SSLSession> TLS = Context.key("tls");

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

  /** Answers with the payload of the request, and says by its name who peers are. */
  private static class Echo extends TestServiceGrpc.TestServiceImplBase {
    final AtomicInteger calls = new AtomicInteger();
    final CountDownLatch go = new CountDownLatch(1);

    @Override
    public void emptyCall(Empty request, StreamObserver<Empty> response) {
      calls.incrementAndGet();
      response.onNext(request);
      response.onCompleted();
    }

    @Override
    public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> response) {
      SSLSession tls = TLS.get();
      response.onNext(
          SimpleResponse.newBuilder()
              .setPayload(request.getPayload())
              .setUsername(tls == null ? "" : tls.getProtocol())
              .build());
      response.onCompleted();
    }

    @Override
    public void streamingOutputCall(
        StreamingOutputCallRequest request, StreamObserver<StreamingOutputCallResponse> response) {
      response.onNext(StreamingOutputCallResponse.getDefaultInstance());
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  go.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                response.onNext(StreamingOutputCallResponse.getDefaultInstance());
                response.onCompleted();
              });
    }
  }

  private Server serve(VerbenaServerBuilder builder, BindableService... services)
      throws IOException {
    for (BindableService service : services) {
      builder.addService(service);
    }
    Server server = builder.build().start();
    servers.add(server);
    return server;
  }

  private static VerbenaServerBuilder local() {
    return VerbenaServerBuilder.forAddress("127.0.0.1:0");
  }

  private TestServiceGrpc.TestServiceBlockingStub stub(VerbenaChannelBuilder builder) {
    return TestServiceGrpc.newBlockingStub(open(builder));
  }

  private ManagedChannel open(VerbenaChannelBuilder builder) {
    ManagedChannel channel = builder.build();
    channels.add(channel);
    return channel;
  }

  private static VerbenaChannelBuilder to(Server server) {
    return VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext();
  }

  private static SimpleRequest request(int bytes) {
    return SimpleRequest.newBuilder()
        .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes])))
        .build();
  }

  private static Status.Code codeOf(Throwable thrown) {
    return ((StatusRuntimeException) thrown).getStatus().getCode();
  }

  @Test
  void isFoundByItsTargetAlone() throws IOException {
    Server server = serve(local(), new Echo());
    ManagedChannel channel =
        Grpc.newChannelBuilder(
                "verbena:///127.0.0.1:" + server.getPort(), InsecureChannelCredentials.create())
            .build();
    channels.add(channel);

    assertThat(TestServiceGrpc.newBlockingStub(channel).unaryCall(request(64)).getPayload())
        .isEqualTo(request(64).getPayload());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "verbena:///127.0.0.1:%d",
        "verbena://127.0.0.1:%d",
        "VERBENA:///127.0.0.1:%d",
        "verbena:///[::1]:%d",
        "verbena://[::1]:%d",
        "verbena://127.0.0.1:%d/",
        "verbena:///tcp://[::1]:%d",
        "localhost:%d",
        "dns:///localhost:%d",
        "127.0.0.1:%d"
      })
  void takesTargetsAsOtherBuildersDo(String target) throws IOException {
    Server server = serve(VerbenaServerBuilder.forPort(0), new Echo());
    VerbenaChannelBuilder builder =
        VerbenaChannelBuilder.forTarget(target.formatted(server.getPort())).usePlaintext();

    assertThat(stub(builder).unaryCall(request(1))).isNotNull();
  }

  @Test
  void takesAHostByItsAddress() throws IOException {
    Server server = serve(VerbenaServerBuilder.forPort(0), new Echo());

    for (String host : List.of("::1", "[::1]", "127.0.0.1", "localhost")) {
      assertThat(
              stub(VerbenaChannelBuilder.forAddress(host, server.getPort()).usePlaintext())
                  .unaryCall(request(1)))
          .as(host)
          .isNotNull();
    }
  }

  /** As the contract of gRPC's builders says. */
  @Test
  void isSecureUnlessPlaintextIsAskedFor() throws IOException {
    Server server = serve(local(), new Echo());
    TestServiceGrpc.TestServiceBlockingStub stub =
        stub(VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort()));

    assertThatThrownBy(() -> stub.emptyCall(Empty.getDefaultInstance()))
        .hasMessageStartingWith("UNAVAILABLE")
        .hasMessageContaining("TLS");
  }

  @Test
  void asksWhetherAServerOfHttp2IsTheRightOne() throws IOException {
    Server server = NettyServerBuilder.forPort(0).build().start();
    servers.add(server);

    assertThatThrownBy(() -> stub(to(server)).emptyCall(Empty.getDefaultInstance()))
        .hasMessageStartingWith("UNAVAILABLE")
        .hasMessageContaining("Is it a Verbena program? Check the address");
  }

  @Test
  void takesTheSettingsOfConnectionsThatProgramsHave() throws IOException {
    Server server =
        serve(
            local()
                .keepAliveTime(1, TimeUnit.MINUTES)
                .keepAliveTimeout(1, TimeUnit.MINUTES)
                .permitKeepAliveTime(1, TimeUnit.MINUTES)
                .permitKeepAliveWithoutCalls(true)
                .maxConnectionIdle(1, TimeUnit.MINUTES)
                .maxConnectionAge(1, TimeUnit.MINUTES)
                .maxConnectionAgeGrace(1, TimeUnit.MINUTES),
            new Echo());
    ManagedChannel http2 =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    channels.add(http2);

    assertThat(TestServiceGrpc.newBlockingStub(http2).emptyCall(Empty.getDefaultInstance()))
        .isNotNull();
    assertThat(
            stub(to(server)
                    .keepAliveTime(1, TimeUnit.MINUTES)
                    .keepAliveTimeout(1, TimeUnit.MINUTES)
                    .keepAliveWithoutCalls(true))
                .emptyCall(Empty.getDefaultInstance()))
        .isNotNull();
  }

  @Test
  void handsOutTheServerOfVerbena() throws IOException {
    AtomicReference<VerbenaServer> engine = new AtomicReference<>();
    Server server = serve(local().onStart(engine::set));
    assertThat(Objects.requireNonNull(engine.get()).address().getPort())
        .isEqualTo(server.getPort());

    AtomicInteger port = new AtomicInteger();
    Server failing =
        local()
            .onStart(
                verbena -> {
                  port.set(verbena.address().getPort());
                  throw new IllegalArgumentException("no such picture");
                })
            .build();
    assertThatThrownBy(failing::start).hasMessage("no such picture");
    serve(VerbenaServerBuilder.forAddress("127.0.0.1:" + port)); // it is free
  }

  @Test
  void servesContractsOfVerbenaAtTheSamePort() throws IOException {
    Server server =
        serve(
            local().engine(engine -> engine.serve(GreeterRpc.bind(name -> "Hello, " + name))),
            new Echo());

    try (VerbenaClient client = VerbenaClient.builder().build()) {
      Greeter greeter = GreeterRpc.client(client.connect("127.0.0.1:" + server.getPort()));
      assertThat(greeter.greet("you")).isEqualTo("Hello, you");
      assertThat(stub(to(server)).unaryCall(request(64)).getPayload().getBody().size())
          .isEqualTo(64);
    }
  }

  @Test
  void saysThatAServerOfVerbenaDoesNotServeGrpc() {
    try (VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start()) {
      TestServiceGrpc.TestServiceBlockingStub stub =
          stub(
              VerbenaChannelBuilder.forAddress("127.0.0.1", server.address().getPort())
                  .usePlaintext());

      assertThatThrownBy(() -> stub.emptyCall(Empty.getDefaultInstance()))
          .satisfies(thrown -> assertThat(codeOf(thrown)).isEqualTo(Status.Code.UNIMPLEMENTED))
          .hasMessageContaining("VerbenaServerBuilder");
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  @Test
  void refusesToListenAtAPortInUse() throws IOException {
    Server server = serve(local());

    assertThatThrownBy(
            () -> VerbenaServerBuilder.forAddress("127.0.0.1:" + server.getPort()).build().start())
        .isInstanceOf(IOException.class);
  }

  @Test
  void limitsMessagesAndMetadataWhereTheyArrive() throws IOException {
    Server server =
        serve(local().maxInboundMessageSize(100_000).maxInboundMetadataSize(1_000), new Echo());
    TestServiceGrpc.TestServiceBlockingStub stub = stub(to(server));

    assertThatThrownBy(() -> stub.unaryCall(request(200_000)))
        .satisfies(thrown -> assertThat(codeOf(thrown)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
    Metadata large = new Metadata();
    large.put(Metadata.Key.of("large", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(2_000));
    assertThatThrownBy(
            () ->
                stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(large))
                    .unaryCall(request(64)))
        .satisfies(thrown -> assertThat(codeOf(thrown)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
    assertThatThrownBy(
            () -> stub(to(server).maxInboundMessageSize(1_000)).unaryCall(request(2_000)))
        .satisfies(thrown -> assertThat(codeOf(thrown)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
    assertThat(stub.unaryCall(request(64)).getPayload().getBody().size()).isEqualTo(64);
  }

  @Test
  void carriesMessagesOfEveryLength() throws IOException {
    TestServiceGrpc.TestServiceBlockingStub stub =
        stub(
            to(serve(local().maxInboundMessageSize(64 << 20), new Echo()))
                .maxInboundMessageSize(64 << 20));

    for (int bytes :
        new int[] {0, 1, 6_100, 6_200, 8_200, 70_000, 1_048_570, 3_000_000, 20_000_000}) {
      assertThat(stub.unaryCall(request(bytes)).getPayload().getBody().size()).isEqualTo(bytes);
    }
  }

  @Test
  void keepsTheBytesOfMessagesApart() throws Exception {
    TestServiceGrpc.TestServiceFutureStub stub =
        TestServiceGrpc.newFutureStub(open(to(serve(local(), new Echo()))));
    long seed = Long.getLong("verbena.seed", System.nanoTime());
    Random random = new Random(seed);

    for (int round = 0; round < 20; round++) {
      List<SimpleRequest> sent = new ArrayList<>();
      List<Future<SimpleResponse>> answers = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        byte[] body = new byte[random.nextInt(i % 4 == 0 ? 2_500_000 : 200_000)];
        random.nextBytes(body);
        SimpleRequest request =
            SimpleRequest.newBuilder()
                .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(body)))
                .build();
        sent.add(request);
        answers.add(stub.unaryCall(request));
      }
      for (int i = 0; i < sent.size(); i++) {
        assertThat(
                answers
                    .get(i)
                    .get(20, TimeUnit.SECONDS)
                    .getPayload()
                    .equals(sent.get(i).getPayload()))
            .as("message %d of round %d, seed %d", i, round, seed)
            .isTrue();
      }
    }
  }

  /** What travels beside messages may come before a long message that was sent earlier. */
  @Test
  void carriesLongMessagesBehindLongMetadata() throws Exception {
    Metadata large = new Metadata();
    large.put(Metadata.Key.of("large", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(40_000));
    TestServiceGrpc.TestServiceFutureStub plain =
        TestServiceGrpc.newFutureStub(
            open(to(serve(local().maxInboundMetadataSize(64 << 10), new Echo()))));
    TestServiceGrpc.TestServiceFutureStub stub =
        plain.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(large));
    int[] lengths = {70_000, 9_000, 64, 7_000};

    for (int round = 0; round < 50; round++) {
      List<Future<SimpleResponse>> answers = new ArrayList<>();
      for (int length : lengths) {
        answers.add(stub.unaryCall(request(length)));
        answers.add(plain.unaryCall(request(length)));
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get(20, TimeUnit.SECONDS).getPayload().getBody().size())
            .isEqualTo(lengths[i / 2]);
      }
    }
  }

  @Test
  void takesNoLongPiecesThatItCannotPlace() throws Exception {
    Server server = serve(local(), new Echo());
    try (VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
        Session session = client.connect("127.0.0.1:" + server.getPort())) {
      session
          .caller(GrpcContract.SERVICE, io.verbena.api.CallOptions.DEFAULT)
          .call(
              GrpcContract.OPEN,
              out -> {
                new GrpcContract.Opened(GrpcContract.VERSION, 1 << 20, 8_192, 100).write(out);
                out.writeString("authority");
              });
      for (String name : List.of("", "one/0", "-1/0", "1/99999999999", "1/0/first")) {
        assertThat(pushed(session, name, 100)).hasMessageContaining("the peer refused it");
      }
      assertThat(pushed(session, "1/0", Received.MOST_BYTES + 1))
          .hasMessageContaining("the peer refused it");
      assertThat(pushed(session, "1/0", Received.MOST_BYTES))
          .isNull(); // of a stream that has ended
    }
    assertThat(stub(to(server)).emptyCall(Empty.getDefaultInstance())).isNotNull();
  }

  private static @Nullable Throwable pushed(Session session, String name, int length) {
    return catchThrowable(
        () ->
            ((SessionObjects) session.objects())
                .carry(name, Source.of(ByteBuffer.allocateDirect(length)), TransferOptions.DEFAULT)
                .get());
  }

  @Test
  void letsABlockingCallerStepTheLoop() throws IOException {
    List<Thread> ran = new ArrayList<>();
    ClientStreamTracer.Factory noting =
        new ClientStreamTracer.Factory() {
          @Override
          public ClientStreamTracer newClientStreamTracer(
              ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
              @Override
              public void inboundMessage(int number) {
                ran.add(Thread.currentThread()); // the call returns later
              }
            };
          }
        };
    TestServiceGrpc.TestServiceBlockingStub stub =
        stub(to(serve(local(), new Echo()))
                .engine(engine -> engine.path(PathPolicy.TCP_ONLY))) // with a loop of its own
            .withInterceptors(
                new ClientInterceptor() {
                  @Override
                  public <Q, S> ClientCall<Q, S> interceptCall(
                      MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
                    return next.newCall(method, options.withStreamTracerFactory(noting));
                  }
                });

    boolean steps = false;
    while (!steps) { // as soon as callers have come one by one
      assertThat(stub.unaryCall(request(64)).getPayload().getBody().size()).isEqualTo(64);
      steps = ran.removeLast().equals(Thread.currentThread());
    }
  }

  @Test
  void provesBothEndsByTls() throws IOException {
    ServerInterceptor tls =
        new ServerInterceptor() {
          @Override
          public <Q, S> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
            Context context =
                Context.current()
                    .withValue(TLS, call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
            return Contexts.interceptCall(context, call, headers, next);
          }
        };
    Server server =
        serve(
            VerbenaServerBuilder.forAddress(
                    "127.0.0.1:0",
                    TlsServerCredentials.newBuilder()
                        .keyManager(
                            TlsTesting.loadCert("server1.pem"), TlsTesting.loadCert("server1.key"))
                        .trustManager(TlsTesting.loadCert("ca.pem"))
                        .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                        .build())
                .intercept(tls),
            new Echo());
    ChannelCredentials mine =
        TlsChannelCredentials.newBuilder()
            .keyManager(TlsTesting.loadCert("client.pem"), TlsTesting.loadCert("client.key"))
            .trustManager(TlsTesting.loadCert("ca.pem"))
            .build();
    String target = "verbena:///127.0.0.1:" + server.getPort();

    TestServiceGrpc.TestServiceBlockingStub trusted =
        stub(VerbenaChannelBuilder.forTarget(target, mine).overrideAuthority("foo.test.google.fr"));
    assertThat(trusted.withWaitForReady().unaryCall(request(1)).getUsername()).startsWith("TLS");
    ManagedChannel http2 =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort(), mine)
            .overrideAuthority("foo.test.google.fr")
            .build(); // it requires ALPN
    channels.add(http2);
    assertThat(
            TestServiceGrpc.newBlockingStub(http2)
                .withWaitForReady()
                .unaryCall(request(1))
                .getUsername())
        .startsWith("TLS");
    TestServiceGrpc.TestServiceBlockingStub wrongName =
        stub(VerbenaChannelBuilder.forTarget(target, mine).overrideAuthority("bar.example.com"));
    assertThatThrownBy(() -> wrongName.unaryCall(request(1)))
        .isInstanceOf(StatusRuntimeException.class);
    TestServiceGrpc.TestServiceBlockingStub plain =
        stub(VerbenaChannelBuilder.forTarget(target).usePlaintext());
    assertThatThrownBy(() -> plain.unaryCall(request(1)))
        .satisfies(thrown -> assertThat(codeOf(thrown)).isEqualTo(Status.Code.UNAVAILABLE));
  }

  @Test
  void takesAnswersThatComeBeforeTheRequest() throws Exception {
    Echo prompt =
        new Echo() {
          @Override
          public StreamObserver<StreamingInputCallRequest> streamingInputCall(
              StreamObserver<StreamingInputCallResponse> response) {
            response.onNext(
                StreamingInputCallResponse.newBuilder().setAggregatedPayloadSize(7).build());
            response.onCompleted();
            return new NothingObserver<>();
          }
        };
    TestServiceGrpc.TestServiceStub stub =
        TestServiceGrpc.newStub(open(to(serve(local().directExecutor(), prompt))));
    CompletableFuture<StreamingInputCallResponse> answer = new CompletableFuture<>();

    StreamObserver<StreamingInputCallRequest> _ =
        stub.streamingInputCall(
            new NothingObserver<>() {
              @Override
              public void onNext(StreamingInputCallResponse item) {
                answer.complete(item);
              }
            });

    assertThat(answer.get(20, TimeUnit.SECONDS).getAggregatedPayloadSize()).isEqualTo(7);
  }

  /** Takes all, and does nothing. */
  private static class NothingObserver<T> implements StreamObserver<T> {
    @Override
    public void onNext(T item) {}

    @Override
    public void onError(Throwable thrown) {}

    @Override
    public void onCompleted() {}
  }

  @Test
  void endsAServerWhoseClientHasJustConnected() throws Exception {
    Server server = serve(local(), new Echo());
    ManagedChannel channel = open(to(server).directExecutor());
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    channel.getState(true);
    await().until(() -> channel.getState(false) != ConnectivityState.IDLE);
    channel.notifyWhenStateChanged(
        ConnectivityState.CONNECTING,
        () -> ended.complete(isTerminated(server.shutdownNow()))); // this waits on the loop

    assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean isTerminated(Server server) {
    try {
      return server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void letsStreamsEndBeforeAServerDoes() throws Exception {
    Echo echo = new Echo();
    Server server = serve(local(), echo);
    int port = server.getPort();
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    TestServiceGrpc.newStub(open(to(server)))
        .streamingOutputCall(
            StreamingOutputCallRequest.getDefaultInstance(),
            new StreamObserver<>() {
              @Override
              public void onNext(StreamingOutputCallResponse item) {
                heard.add("item");
              }

              @Override
              public void onError(Throwable thrown) {
                heard.add(thrown.toString());
              }

              @Override
              public void onCompleted() {
                heard.add("end");
              }
            });
    assertThat(heard.take()).isEqualTo("item");

    server.shutdown();
    assertThat(server.awaitTermination(300, TimeUnit.MILLISECONDS)).isFalse();
    echo.go.countDown();

    assertThat(heard.take()).isEqualTo("item");
    assertThat(heard.take()).isEqualTo("end");
    assertThat(server.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    Server next = VerbenaServerBuilder.forAddress("127.0.0.1:" + port).build().start();
    servers.add(next); // the port is free again
  }

  @Test
  void failsNoCallWhileServersAreReplaced() throws Exception {
    Echo echo = new Echo();
    Server first = serve(local(), echo);
    Server second = serve(local(), echo);
    TestServiceGrpc.TestServiceBlockingStub stub =
        stub(
            VerbenaChannelBuilder.forTarget(
                    "verbena:///127.0.0.1:%d,127.0.0.1:%d"
                        .formatted(first.getPort(), second.getPort()))
                .usePlaintext()
                .defaultLoadBalancingPolicy("round_robin"));
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger made = new AtomicInteger();
    List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (!over.get()) {
                      try {
                        stub.emptyCall(Empty.getDefaultInstance());
                        made.incrementAndGet();
                      } catch (RuntimeException e) {
                        failures.add(e);
                      }
                    }
                  }));
    }

    await().untilAsserted(() -> assertThat(made).hasValueGreaterThan(1_000));
    first.shutdown();
    assertThat(first.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    int before = made.get();
    await().untilAsserted(() -> assertThat(made).hasValueGreaterThan(before + 1_000));
    over.set(true);
    for (Thread caller : callers) {
      caller.join();
    }

    assertThat(failures).isEmpty();
    assertThat(echo.calls).hasValue(made.get());
  }

  /**
   * As gRPC's own RetryTest: the server ends while a call begins, which crosses its farewell. gRPC
   * makes the call again by itself.
   */
  @Test
  void makesACallAgainThatItsServerDidNotTake() throws Exception {
    Echo echo = new Echo();
    Server first = serve(local(), echo);
    int port = first.getPort();
    Deque<Server> now = new ConcurrentLinkedDeque<>(List.of(first));
    AtomicInteger ends = new AtomicInteger();
    ClientStreamTracer.Factory ending =
        new ClientStreamTracer.Factory() {
          @Override
          public ClientStreamTracer newClientStreamTracer(
              ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
              private boolean original;

              @Override
              public void streamCreated(Attributes transport, Metadata headers) {
                original = info.getPreviousAttempts() == 0 && !info.isTransparentRetry();
                if (original) {
                  endOf(now.getLast());
                }
              }

              @Override
              public void streamClosed(Status status) {
                if (original) {
                  ends.incrementAndGet();
                  try {
                    now.add(serve(VerbenaServerBuilder.forAddress("127.0.0.1:" + port), echo));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }
              }
            };
          }
        };
    ManagedChannel channel = open(to(first));
    TestServiceGrpc.TestServiceBlockingStub stub =
        TestServiceGrpc.newBlockingStub(channel).withWaitForReady();
    int calls = 20;
    for (int i = 0; i < calls; i++) {
      assertThat(stub.unaryCall(request(64))).isNotNull(); // the session is open
      ClientCalls.blockingUnaryCall(
          channel,
          TestServiceGrpc.getEmptyCallMethod(),
          CallOptions.DEFAULT
              .withWaitForReady()
              .withDeadlineAfter(20, TimeUnit.SECONDS)
              .withStreamTracerFactory(ending),
          Empty.getDefaultInstance());
      channel.resetConnectBackoff();
    }
    assertThat(ends).hasValue(calls);
    assertThat(echo.calls).as("each once").hasValue(calls);
  }

  private static void endOf(Server server) {
    try {
      assertThat(server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void carriesTheServicesOfGrpcItself() throws IOException {
    HealthStatusManager health = new HealthStatusManager();
    health.setStatus("echo", ServingStatus.SERVING);
    Server server =
        serve(
            local(),
            health.getHealthService(),
            ProtoReflectionServiceV1.newInstance(),
            ChannelzService.newInstance(100));
    ManagedChannel channel = open(to(server));

    assertThat(
            HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.newBuilder().setService("echo").build())
                .getStatus())
        .isEqualTo(ServingStatus.SERVING);
    assertThat(
            io.grpc.channelz.v1.ChannelzGrpc.newBlockingStub(channel)
                .getServers(io.grpc.channelz.v1.GetServersRequest.newBuilder().build())
                .getServerList())
        .isNotEmpty();
  }

  @Test
  void servesHttp2AtTheSamePort() throws Exception {
    Server server = serve(local(), new Echo());
    ManagedChannel http2 =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    channels.add(http2);

    for (int bytes : new int[] {0, 100, 100_000, 3_000_000}) {
      assertThat(
              TestServiceGrpc.newBlockingStub(http2)
                  .unaryCall(request(bytes))
                  .getPayload()
                  .getBody()
                  .size())
          .isEqualTo(bytes);
      assertThat(stub(to(server)).unaryCall(request(bytes)).getPayload().getBody().size())
          .isEqualTo(bytes);
    }
    server.shutdown();
    assertThat(server.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void leavesTargetsWithoutASchemeToOtherTransports() {
    assertThat(NameResolverRegistry.getDefaultRegistry().getDefaultScheme()).isEqualTo("dns");
  }

  @Test
  void tellsClientsOfHttp2WhyTheyAreNotServed() throws Exception {
    Server sessionsOnly = serve(local().http2(false), new Echo());
    Server authenticating =
        serve(local().engine(engine -> engine.authenticator(client -> "somebody")), new Echo());

    assertThat(wordsForHttp2(sessionsOnly.getPort())).contains("http2(false)");
    assertThat(wordsForHttp2(authenticating.getPort())).contains("authenticates");
    assertThatThrownBy(
            () ->
                local()
                    .engine(engine -> engine.authenticator(client -> "you"))
                    .http2(true)
                    .build()
                    .start())
        .isInstanceOf(IOException.class);
  }

  @Test
  void tellsClientsOfHttp2WhatToAddIfGrpcNettyIsAbsent() throws Exception {
    URL[] without =
        Arrays.stream(
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"))
                    .split(File.pathSeparator, -1))
            .filter(one -> !one.contains("grpc-netty"))
            .map(GrpcTransportTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader =
        new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
      Class<?> main = loader.loadClass(Alone.class.getName());
      Closeable server = (Closeable) main.getConstructor().newInstance();
      try {
        int port = Integer.parseInt(server.toString());
        assertThat(wordsForHttp2(port)).contains("io.grpc:grpc-netty");
      } finally {
        server.close();
      }
    }
  }

  /** A server whose class path lacks grpc-netty. */
  public static final class Alone implements Closeable {
    private final Server server;

    /** Starts it. */
    public Alone() throws IOException {
      server = local().build().start();
    }

    @Override
    public void close() {
      server.shutdownNow();
      await().until(server::isTerminated);
    }

    @Override
    public String toString() {
      return String.valueOf(server.getPort());
    }
  }

  private static URL url(String path) {
    try {
      return new File(path).toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Returns what a client of HTTP/2 learns. */
  private String wordsForHttp2(int port) {
    ManagedChannel http2 = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    channels.add(http2);
    return String.valueOf(
        assertThrows(
                StatusRuntimeException.class,
                () -> TestServiceGrpc.newBlockingStub(http2).emptyCall(Empty.getDefaultInstance()))
            .getMessage());
  }

  @Test
  void saysWhichVersionsOfGrpcItWorksWith() {
    String version = GrpcUtil.getGrpcBuildVersion().getImplementationVersion();
    assertThat(version).startsWith(System.getProperty("grpc.expected", "1."));
    assertThat(GrpcVersion.problem(version)).isEmpty();
    assertThat(GrpcVersion.problem("1.79.0")).isEmpty();
    assertThat(GrpcVersion.problem("1.85.1")).isEmpty();
    assertThat(GrpcVersion.problem("1.78.2"))
        .isEqualTo(
            "verbena-grpc works with grpc-java 1.79 to 1.85, and this process has 1.78.2: import"
                + " io.grpc:grpc-bom of one of them, or another version of verbena-grpc");
    assertThat(GrpcVersion.problem("2.0.0")).contains("2.0.0");
  }
}
