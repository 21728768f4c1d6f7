package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.spring.EchoApplication.Caller;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The start, readiness, health and end of an application with a server and channels. */
class LifeTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static Health client(ConfigurableApplicationContext context, String name) {
    return context
        .getBean("verbenaClientsHealthContributor", CompositeHealthContributor.class)
        .stream()
        .filter(entry -> entry.name().equals(name))
        .map(entry -> health(entry.contributor()))
        .findFirst()
        .orElseThrow();
  }

  private static Health health(HealthContributor contributor) {
    return Objects.requireNonNull(((HealthIndicator) contributor).health());
  }

  @Test
  void peersAreToldWhetherTheApplicationTakesCalls() {
    Contexts.serving()
        .withUserConfiguration(ServedBeansTest.Shelf.class)
        .withBean(ApplicationArguments.class, DefaultApplicationArguments::new)
        .run(
            context -> {
              try (VerbenaClient client = VerbenaClient.builder().build()) {
                io.verbena.channel.Health health =
                    HealthRpc.client(client.connect(Contexts.server(context).address().toString()));
                assertThat(health.check(""))
                    .isEqualTo(io.verbena.channel.Health.Status.NOT_SERVING);
                AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                assertThat(health.check("")).isEqualTo(io.verbena.channel.Health.Status.SERVING);
                assertThat(health.check("stock.v1"))
                    .isEqualTo(io.verbena.channel.Health.Status.SERVING);
                AvailabilityChangeEvent.publish(context, LivenessState.BROKEN);
                assertThat(health.check("stock.v1"))
                    .isEqualTo(io.verbena.channel.Health.Status.NOT_SERVING);
                AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
                AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
                assertThat(health.check(""))
                    .isEqualTo(io.verbena.channel.Health.Status.NOT_SERVING);
              }
            });
  }

  @Test
  void aChannelLeavesOutAnApplicationThatIsNotReady() {
    Contexts.echo()
        .withPropertyValues(
            "verbena.client.health.period=50ms", "verbena.clients.stock.wait-for-ready=false")
        .run(
            context -> {
              Stock stock = context.getBean(Caller.class).stock();
              await()
                  .atMost(LONG)
                  .until(() -> client(context, "stock").getStatus().equals(Status.UP));
              assertThat(stock.count("rose")).isEqualTo(4);
              AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
              await()
                  .atMost(LONG)
                  .until(() -> client(context, "stock").getStatus().equals(Status.DOWN));
              assertThat(client(context, "stock").getDetails().get("why"))
                  .asString()
                  .contains("none of 1 servers takes calls")
                  .contains("NOT_SERVING");
              assertThatThrownBy(() -> stock.count("rose")).hasMessageContaining("NOT_SERVING");
              AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
              await()
                  .atMost(LONG)
                  .until(() -> client(context, "stock").getStatus().equals(Status.UP));
            });
  }

  @Test
  void healthTellsOfTheServerAndOfEachClientsServers() {
    Contexts.echo()
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              HealthIndicator server =
                  context.getBean("verbenaServerHealthIndicator", HealthIndicator.class);
              await() // who listens to sessions is told behind the first answer, at times
                  .atMost(LONG)
                  .untilAsserted(
                      () -> {
                        assertThat(health(server).getDetails())
                            .containsEntry("server", "listening")
                            .containsEntry("sessions", 1)
                            .containsKey("address");
                        assertThat(client(context, "stock").getDetails().get("servers"))
                            .asString()
                            .contains("session=OPEN")
                            .contains("path=mem");
                      });
            });
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void healthTellsThatContextsOfOneHostShareMemory() {
    Contexts.plain()
        .withUserConfiguration(ServedBeansTest.Shelf.class)
        .withPropertyValues("verbena.server.listen=127.0.0.1:0")
        .run(
            serving ->
                Contexts.plain()
                    .withUserConfiguration(Calling.class)
                    .withPropertyValues(
                        "verbena.clients.stock.target=" + Contexts.server(serving).address())
                    .run(
                        context ->
                            await()
                                .atMost(LONG)
                                .untilAsserted(
                                    () ->
                                        assertThat(client(context, "stock").getDetails())
                                            .extractingByKey("servers")
                                            .asString()
                                            .contains("path=shm"))));
  }

  @Test
  void healthTellsOfNoServerWhereNothingIsServed() {
    Contexts.plain()
        .withUserConfiguration(Calling.class)
        .withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class))
        .withPropertyValues("verbena.clients.stock.target=127.0.0.1:1")
        .run(
            context ->
                assertThat(context.getBean(HealthContributorRegistry.class))
                    .extracting(HealthContributors.Entry::name)
                    .containsExactly("verbenaClients"));
  }

  @Configuration(proxyBeanMethods = false)
  static class Calling {
    @Bean
    Caller caller(@VerbenaStub("stock") Stock stock) {
      return new Caller(stock);
    }
  }

  @Test
  void theServerStartsBehindTheWebServerAndDrainsBeforeIt() {
    Contexts.echo()
        .run(
            context ->
                assertThat(context.getBean(VerbenaServerLifecycle.class).getPhase())
                    .isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE));
  }

  /** Its handler waits until it may go on, and then makes a call itself. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Slow {
    final CountDownLatch running = new CountDownLatch(1);
    final CountDownLatch mayEnd = new CountDownLatch(1);

    @Bean
    @VerbenaService
    Stock slow(@VerbenaStub("prices") Prices prices) {
      return article -> {
        running.countDown();
        try {
          assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return prices.cents(article);
      };
    }
  }

  private static ConfigurableApplicationContext run(Class<?> type, String... arguments) {
    SpringApplication application = new SpringApplication(type);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setRegisterShutdownHook(false);
    return application.run(arguments);
  }

  @Test
  void callsThatRunWhenTheContextClosesEndAndMayCallOthersMeanwhile() throws Exception {
    String address = Contexts.anAddress();
    try (VerbenaServer prices =
            VerbenaServer.builder()
                .listen(Contexts.anAddress())
                .serve(PricesRpc.bind(String::length))
                .start();
        VerbenaClient customer = VerbenaClient.builder().build()) {
      ConfigurableApplicationContext context =
          run(
              Slow.class,
              "--verbena.server.listen=" + address,
              "--verbena.server.drain-time=30s",
              "--verbena.clients.prices.target=" + prices.address());
      Slow slow = context.getBean(Slow.class);
      CompletableFuture<Integer> call =
          StockRpc.async(customer.connect(address)).count("rose").toCompletableFuture();
      assertThat(slow.running.await(30, TimeUnit.SECONDS)).isTrue();
      VerbenaServerLifecycle lifecycle = context.getBean(VerbenaServerLifecycle.class);
      HealthIndicator health =
          context.getBean("verbenaServerHealthIndicator", HealthIndicator.class);
      Thread closing = Thread.ofPlatform().start(context::close);
      await().atMost(LONG).until(() -> health(health).getStatus().equals(Status.OUT_OF_SERVICE));
      assertThat(call).isNotDone();
      slow.mayEnd.countDown();
      assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(4);
      closing.join();
      assertThat(lifecycle.server()).isEmpty();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Plain {
    @Bean
    @VerbenaService
    Stock served() {
      return String::length;
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aPortThatIsTakenFailsTheStartInPlainWords(CapturedOutput output) {
    try (VerbenaServer other =
        VerbenaServer.builder().listen("127.0.0.1:0").serve(StockRpc.bind(a -> 0)).start()) {
      int port = other.address().getPort();
      assertThatThrownBy(() -> run(Plain.class, "--verbena.server.listen=127.0.0.1:" + port));
      assertThat(output)
          .contains("APPLICATION FAILED TO START")
          .contains("Verbena's server cannot be started at 127.0.0.1:" + port)
          .contains("in use")
          .contains("Set verbena.server.listen to another address");
    }
  }

  @Test
  void aContextThatWasStoppedServesAgainWhenItIsStarted() {
    try (ConfigurableApplicationContext context =
            run(Plain.class, "--verbena.server.listen=" + Contexts.anAddress());
        VerbenaClient client = VerbenaClient.builder().build()) {
      context.stop();
      assertThat(context.getBean(VerbenaServerLifecycle.class).server()).isEmpty();
      context.start();
      String address = Contexts.server(context).address().toString();
      assertThat(StockRpc.client(client.connect(address)).count("rose")).isEqualTo(4);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(EchoApplication.class)
  static class Echoing {}

  /** How a context is stopped for a while: by hand, or by the cache of contexts for tests. */
  enum Rest {
    STOPPED(ConfigurableApplicationContext::stop, ConfigurableApplicationContext::start),
    PAUSED(ConfigurableApplicationContext::pause, ConfigurableApplicationContext::restart),
    RESTARTED(context -> {}, ConfigurableApplicationContext::restart);

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final Consumer<ConfigurableApplicationContext> begin;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Consumer<ConfigurableApplicationContext> end;

    Rest(
        Consumer<ConfigurableApplicationContext> begin,
        Consumer<ConfigurableApplicationContext> end) {
      this.begin = begin;
      this.end = end;
    }
  }

  @ParameterizedTest
  @EnumSource
  void theFirstCallAfterARestReachesTheApplicationsOwnServer(Rest rest) throws Exception {
    String address = "127.0.0.1:" + freePort();
    try (ConfigurableApplicationContext context =
        run(
            Echoing.class,
            "--verbena.server.listen=" + address,
            "--verbena.clients.stock.target=" + address)) {
      Stock stock = context.getBean(Caller.class).stock();
      await().atMost(LONG).ignoreExceptions().until(() -> stock.count("rose") == 4);
      for (int times = 0; times < 3; times++) {
        rest.begin.accept(context);
        Instant until = Instant.now().plusMillis(800); // its channel fails to connect meanwhile
        while (rest != Rest.RESTARTED && Instant.now().isBefore(until)) {
          assertThatThrownBy(() -> stock.count("rose")).isInstanceOf(RpcException.class);
        }
        rest.end.accept(context);
        assertThat(stock.count("rose")).isEqualTo(4);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void anyFreePortIsTheSameAfterARest() {
    try (ConfigurableApplicationContext context =
        run(Plain.class, "--verbena.server.listen=127.0.0.1:0")) {
      URI address = Contexts.server(context).address();
      context.pause();
      context.restart();
      assertThat(Contexts.server(context).address()).isEqualTo(address);
    }
  }
}
