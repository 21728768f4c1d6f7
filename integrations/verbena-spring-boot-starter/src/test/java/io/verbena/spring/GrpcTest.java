package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.core.VerbenaClient;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.grpc.client.GrpcChannelFactory;
import org.springframework.grpc.client.ImportGrpcClients;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.grpc.server.NettyGrpcServerFactory;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.grpc.server.lifecycle.GrpcServerStartedEvent;

/** Spring's services and channels of gRPC over sessions, in applications with Boot's starters. */
class GrpcTest {
  private static final MethodDescriptor<String, String> AGENT = method("echo.v1/Agent");
  private static final MethodDescriptor<String, String> WAIT = method("echo.v1/Wait");

  private static final Context.Key<String> USER_AGENT = Context.key("user-agent");

  private static MethodDescriptor<String, String> method(String name) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(new Words())
        .setResponseMarshaller(new Words())
        .build();
  }

  private static final class Words implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String words) {
      return new ByteArrayInputStream(words.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream in) {
      try {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Answers with the client's user agent, and later. */
  static final class Echo implements BindableService {
    final CountDownLatch waiting = new CountDownLatch(1);
    final AtomicReference<StreamObserver<String>> late = new AtomicReference<>();

    @Override
    public ServerServiceDefinition bindService() {
      return ServerServiceDefinition.builder("echo.v1")
          .addMethod(
              AGENT,
              ServerCalls.asyncUnaryCall(
                  (request, to) -> {
                    to.onNext(String.valueOf(USER_AGENT.get()));
                    to.onCompleted();
                  }))
          .addMethod(
              WAIT,
              ServerCalls.asyncUnaryCall(
                  (request, to) -> {
                    late.set(to);
                    waiting.countDown();
                  }))
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Serving {
    final List<Integer> ports = new ArrayList<>();

    @Bean
    Echo echo() {
      return new Echo();
    }

    /** An interceptor of Spring's gRPC. */
    @Bean
    @GlobalServerInterceptor
    ServerInterceptor agents() {
      return new ServerInterceptor() {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
          String agent =
              headers.get(Metadata.Key.of("user-agent", Metadata.ASCII_STRING_MARSHALLER));
          return Contexts.interceptCall(
              Context.current().withValue(USER_AGENT, agent), call, headers, next);
        }
      };
    }

    @EventListener
    void started(GrpcServerStartedEvent event) {
      ports.add(event.getPort());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @ImportGrpcClients(target = "stock", types = HealthGrpc.HealthBlockingStub.class)
  static class Calling {}

  @Configuration(proxyBeanMethods = false)
  @Import({Serving.class, ServedBeansTest.Shelf.class})
  static class BothKinds {}

  private static ConfigurableApplicationContext started(Class<?> application, String... settings) {
    SpringApplication made = new SpringApplication(application);
    made.setWebApplicationType(WebApplicationType.NONE);
    return made.run(settings);
  }

  private static int port(ConfigurableApplicationContext server) {
    return server.getBean(VerbenaServerLifecycle.class).server().orElseThrow().address().getPort();
  }

  private static ConfigurableApplicationContext calling(int port, String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--spring.grpc.client.channel.stock.target=verbena:///127.0.0.1:" + port);
    all.add("--spring.grpc.client.channel.plain.target=static://127.0.0.1:" + port);
    return started(Calling.class, all.toArray(String[]::new));
  }

  private static String agent(Channel channel) {
    return ClientCalls.blockingUnaryCall(
        channel, AGENT, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), "");
  }

  private static ManagedChannel channel(ConfigurableApplicationContext client, String name) {
    return client.getBean(GrpcChannelFactory.class).createChannel(name);
  }

  @Test
  void anAddressOfVerbenaIsEnough() {
    try (ConfigurableApplicationContext server =
            started(Serving.class, "--verbena.server.listen=127.0.0.1:0");
        ConfigurableApplicationContext client = calling(port(server))) {
      assertThat(agent(channel(client, "stock"))).startsWith("grpc-java-verbena/1.84");
      HealthCheckResponse health =
          client
              .getBean(HealthGrpc.HealthBlockingStub.class)
              .check(HealthCheckRequest.getDefaultInstance());
      assertThat(health.getStatus()).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
      assertThat(server.getBean(Serving.class).ports).containsExactly(port(server));
      assertThat(server.getBeansOfType(GrpcServerLifecycle.class)).isEmpty();
    }
  }

  @Test
  void contractsAndHttp2AreServedAtTheSamePort() {
    try (ConfigurableApplicationContext server =
            started(BothKinds.class, "--verbena.server.listen=127.0.0.1:0");
        ConfigurableApplicationContext client = calling(port(server));
        VerbenaClient contracts = VerbenaClient.builder().build()) {
      assertThat(agent(channel(client, "stock"))).startsWith("grpc-java-verbena/");
      assertThat(agent(channel(client, "plain"))).startsWith("grpc-java-netty/");
      assertThat(StockRpc.client(contracts.connect("127.0.0.1:" + port(server))).count("rose"))
          .isEqualTo(4);
    }
  }

  @Test
  void bootsPropertiesHold() {
    try (ConfigurableApplicationContext server =
            started(
                Serving.class,
                "--verbena.server.listen=127.0.0.1:0",
                "--spring.grpc.server.inbound.message.max-size=100B");
        ConfigurableApplicationContext client =
            calling(
                port(server),
                "--spring.grpc.client.channel.stock.user-agent=shop",
                "--spring.grpc.client.channel.stock.default.deadline=1s")) {
      ManagedChannel channel = channel(client, "stock");
      assertThat(agent(channel)).startsWith("shop grpc-java-verbena/");
      assertThatThrownBy(
              () ->
                  ClientCalls.blockingUnaryCall(
                      channel, AGENT, CallOptions.DEFAULT, "long".repeat(30)))
          .asInstanceOf(
              org.assertj.core.api.InstanceOfAssertFactories.throwable(
                  StatusRuntimeException.class))
          .extracting(failure -> failure.getStatus().getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThatThrownBy(
              () -> ClientCalls.blockingUnaryCall(channel, WAIT, CallOptions.DEFAULT, ""))
          .hasMessageContaining("DEADLINE_EXCEEDED");
    }
  }

  @Test
  void aCallInProgressEndsBeforeTheApplication() throws Exception {
    ConfigurableApplicationContext server =
        started(
            Serving.class,
            "--verbena.server.listen=127.0.0.1:0",
            "--verbena.server.drain-time=30s");
    try (ConfigurableApplicationContext client = calling(port(server))) {
      Echo echo = server.getBean(Echo.class);
      var answer =
          ClientCalls.futureUnaryCall(
              channel(client, "stock").newCall(WAIT, CallOptions.DEFAULT), "");
      assertThat(echo.waiting.await(30, TimeUnit.SECONDS)).isTrue();
      Thread closing = Thread.ofPlatform().start(server::close);
      assertThatThrownBy( // new calls are refused, so it drains
              () -> {
                while (true) {
                  agent(channel(client, "plain"));
                }
              })
          .isInstanceOf(StatusRuntimeException.class);
      StreamObserver<String> to = Objects.requireNonNull(echo.late.get());
      to.onNext("late");
      to.onCompleted();
      assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("late");
      closing.join();
    }
  }

  @Test
  void aCallThatDoesNotEndIsCancelledInTime() throws Exception {
    ConfigurableApplicationContext server =
        started(
            Serving.class,
            "--verbena.server.listen=127.0.0.1:0",
            "--verbena.server.drain-time=100ms");
    try (ConfigurableApplicationContext client = calling(port(server))) {
      var answer =
          ClientCalls.futureUnaryCall(
              channel(client, "stock").newCall(WAIT, CallOptions.DEFAULT), "");
      assertThat(server.getBean(Echo.class).waiting.await(30, TimeUnit.SECONDS)).isTrue();
      server.close();
      assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS))
          .hasMessageContaining("UNAVAILABLE");
    }
  }

  @Test
  void aServerThatIsStartedAgainHasItsPort() {
    try (ConfigurableApplicationContext server =
            started(Serving.class, "--verbena.server.listen=127.0.0.1:0");
        ConfigurableApplicationContext client = calling(port(server))) {
      int port = port(server);
      ManagedChannel channel = channel(client, "stock");
      assertThat(agent(channel)).isNotEmpty();
      server.stop();
      server.start();
      assertThat(port(server)).isEqualTo(port);
      assertThat(
              ClientCalls.blockingUnaryCall(
                  channel,
                  AGENT,
                  CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(30, TimeUnit.SECONDS),
                  ""))
          .isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"spring.grpc.server.port=9090", "spring.grpc.server.ssl.bundle=web"})
  void settingsOfBootsOwnServerAreRefused(String setting) {
    assertThatThrownBy(() -> started(Serving.class, "--" + setting))
        .rootCause()
        .hasMessageContaining(setting.replaceFirst("=.*", ""))
        .hasMessageContaining("Verbena's server serves the services of gRPC");
  }

  @Test
  void bootsOwnServerMayServe() {
    try (ConfigurableApplicationContext server =
        started(
            BothKinds.class,
            "--verbena.server.listen=127.0.0.1:0",
            "--verbena.server.grpc=false",
            "--spring.grpc.server.port=0")) {
      assertThat(server.getBean(NettyGrpcServerFactory.class)).isNotNull();
      assertThat(server.getBean(Serving.class).ports).doesNotContain(port(server)).hasSize(1);
    }
  }
}
