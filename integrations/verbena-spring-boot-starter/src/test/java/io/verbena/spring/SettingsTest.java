package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallContext;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.channel.Balancer;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.VerbenaClient;
import io.verbena.core.stat.Stats;
import io.verbena.spring.EchoApplication.Caller;
import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Properties and beans reach the server, the client and the channels. */
class SettingsTest {
  /** Tells with what time left, and on which thread, it was called. */
  @Configuration(proxyBeanMethods = false)
  static class Watched {
    final CompletableFuture<Duration> left = new CompletableFuture<>();
    final CompletableFuture<String> thread = new CompletableFuture<>();

    @Bean
    @VerbenaService
    Stock watched() {
      return article -> {
        left.complete(CallContext.current().remaining());
        thread.complete(Thread.currentThread().getName());
        return 1;
      };
    }

    @Bean
    Caller caller(@VerbenaStub("stock") Stock stock) {
      return new Caller(stock);
    }
  }

  @Test
  void aClientsOwnTimeoutStandsBeforeThatOfAll() {
    String address = Contexts.anAddress();
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withPropertyValues(
            "verbena.server.listen=" + address,
            "verbena.client.wait-for-ready=true",
            "verbena.client.timeout=1h",
            "verbena.clients.stock.timeout=10m",
            "verbena.clients.stock.target=" + address)
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              assertThat(context.getBean(Watched.class).left.get())
                  .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
            });
  }

  @Test
  void handlersRunOnAnExecutorOfThatName() {
    String address = Contexts.anAddress();
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withBean(
            "verbenaHandlers",
            Executor.class,
            () -> Executors.newSingleThreadExecutor(task -> new Thread(task, "of-mine")))
        .withPropertyValues(
            "verbena.server.listen=" + address,
            "verbena.client.wait-for-ready=true",
            "verbena.clients.stock.target=" + address)
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              assertThat(context.getBean(Watched.class).thread.get()).isEqualTo("of-mine");
            });
  }

  @Test
  void aClientShowsItsTokenToTheAuthenticator() {
    ClientAuthenticator authenticator =
        credentials -> {
          if (credentials.token().equals("sesame")) {
            return "ali";
          }
          throw new ClientAuthenticator.AuthenticationException("who are you?");
        };
    Contexts.echo()
        .withBean(ClientAuthenticator.class, () -> authenticator)
        .withPropertyValues("verbena.client.token=sesame")
        .run(
            context -> {
              assertThat(context.getBean(Caller.class).stock().count("rose")).isEqualTo(4);
              try (VerbenaClient stranger = VerbenaClient.builder().build()) {
                assertThatThrownBy(
                        () -> stranger.connect(Contexts.server(context).address().toString()))
                    .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAUTHENTICATED))
                    .hasMessageContaining("who are you?");
              }
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoInterceptors {
    final List<String> passed = new CopyOnWriteArrayList<>();

    private ClientInterceptor noting(String name) {
      return new ClientInterceptor() {
        @Override
        public <R> java.util.concurrent.CompletionStage<io.verbena.api.Answer<R>> intercept(
            io.verbena.api.ClientCall<R> call) {
          if (call.method().fullName().equals("stock.v1/count")) {
            passed.add(name);
          }
          return call.proceed();
        }
      };
    }

    @Bean
    @Order(2)
    ClientInterceptor second() {
      return noting("second");
    }

    @Bean
    @Order(1)
    ClientInterceptor first() {
      return noting("first");
    }
  }

  @Test
  void interceptorsStandInTheirOrder() {
    Contexts.echo()
        .withUserConfiguration(TwoInterceptors.class)
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              assertThat(context.getBean(TwoInterceptors.class).passed)
                  .containsExactly("first", "second");
            });
  }

  @Test
  void listenersAndCustomizersAreTakenToo() {
    CompletableFuture<Session> opened = new CompletableFuture<>();
    SessionListener listener =
        new SessionListener() {
          @Override
          public void opened(Session session) {
            opened.complete(session);
          }
        };
    List<String> customized = new CopyOnWriteArrayList<>();
    Contexts.echo()
        .withBean(SessionListener.class, () -> listener)
        .withBean(VerbenaServerCustomizer.class, () -> server -> customized.add("server"))
        .withBean(VerbenaClientCustomizer.class, () -> client -> customized.add("client"))
        .withBean(VerbenaChannelCustomizer.class, () -> (name, channel) -> customized.add(name))
        .run(
            context -> {
              assertThat(customized).containsExactly("client", "stock", "server");
              context.getBean(Caller.class).stock().count("rose");
              assertThat(opened.get(30, TimeUnit.SECONDS)).isNotNull();
            });
  }

  @Test
  void aBalancerMayBeABeanOfThisName() {
    List<String> chosen = new CopyOnWriteArrayList<>();
    Balancer mine =
        (among, call) -> {
          chosen.add(call.method().fullName());
          return 0;
        };
    Contexts.echo()
        .withBean("nearest", Balancer.class, () -> mine)
        .withPropertyValues("verbena.client.balancer=nearest")
        .run(
            context -> {
              context.getBean(Caller.class).stock().count("rose");
              assertThat(chosen).anyMatch(method -> method.endsWith("/count"));
            });
  }

  @Test
  void aBalancerThatIsNeitherARuleNorABeanIsRefused() {
    Contexts.echo()
        .withPropertyValues("verbena.clients.stock.balancer=nearest")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("balancer must be round-robin")
                    .hasStackTraceContaining("the name of a bean of type Balancer, not nearest"));
  }

  @Test
  void aServerShedsCallsWhereItIsToHaveALimit() {
    Contexts.echo()
        .withPropertyValues(
            "verbena.server.concurrency.enabled=true",
            "verbena.server.concurrency.most=8",
            "verbena.server.concurrency.exempt=stock/watch,stock/await")
        .run(
            context -> {
              assertThat(context.getBean(Caller.class).stock().count("rose")).isEqualTo(4);
              String server = "server at " + Contexts.server(context).address();
              assertThat(Stats.engines())
                  .filteredOn(engine -> engine.name().equals(server))
                  .singleElement()
                  .satisfies(
                      engine -> assertThat(String.valueOf(engine.limit())).contains("limit=8"));
            });
    Contexts.echo()
        .withPropertyValues(
            "verbena.server.concurrency.enabled=true", "verbena.server.concurrency.least=0")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("least")
                    .hasStackTraceContaining("Correct verbena.server.*"));
  }

  @Test
  void messagesAreCompressedWhereTheirLengthIsSet() {
    Contexts.echo()
        .withPropertyValues("verbena.server.compress-from=1KB", "verbena.client.compress-from=2KB")
        .run(
            context -> {
              assertThat(context.getBean(Caller.class).stock().count("rose")).isEqualTo(4);
              assertThat(Stats.engines())
                  .hasSizeGreaterThan(1)
                  .allMatch(engine -> engine.compression() != null);
            });
  }

  @Test
  void aServerSpeaksHttpWhereItIsToldTo() {
    Contexts.plain()
        .withUserConfiguration(EchoApplication.class)
        .withPropertyValues(
            "verbena.server.listen=127.0.0.1:0",
            "verbena.server.http.enabled=true",
            "verbena.server.http.page=false",
            "verbena.server.http.hosts=store.example",
            "verbena.server.http.max-request=1KB",
            "verbena.server.http.max-response=1MB",
            "verbena.server.http.request-memory=1MB",
            "verbena.server.http.request-time=5s",
            "verbena.server.http.idle-time=5s",
            "verbena.clients.stock.target=127.0.0.1:1")
        .run(
            context -> {
              String server = Contexts.server(context).address().toString();
              try (HttpClient http = HttpClient.newHttpClient()) {
                assertThat(answer(http, server, "/stock.v1/count", "[\"rose\"]"))
                    .isEqualTo("200 4");
                assertThat(answer(http, server, "/stock.v1/count", " ".repeat(2000)))
                    .startsWith("413 ");
                assertThat(answer(http, server, "/openapi.json", "")).startsWith("404 ");
              }
            });
  }

  private static String answer(HttpClient http, String server, String path, String body)
      throws Exception {
    URI at = URI.create(server.replaceFirst("^(tcp://)?", "http://") + path);
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(at).POST(BodyPublishers.ofString(body)).build(),
            BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body().strip();
  }

  @Test
  void itSpeaksNoneWhereItIsNot() {
    Contexts.plain()
        .withUserConfiguration(EchoApplication.class)
        .withPropertyValues(
            "verbena.server.listen=127.0.0.1:0",
            "verbena.server.http.hosts=store.example",
            "verbena.clients.stock.target=127.0.0.1:1")
        .run(
            context -> {
              String server = Contexts.server(context).address().toString();
              try (HttpClient http = HttpClient.newHttpClient()) {
                assertThatThrownBy(() -> answer(http, server, "/stock.v1/count", "[\"rose\"]"))
                    .isInstanceOf(IOException.class);
              }
            });
  }

  @Test
  void httpThatIsNotOnTheClassPathIsToldWithItsArtifact() {
    Contexts.serving()
        .withUserConfiguration(EchoApplication.class)
        .withClassLoader(new FilteredClassLoader("io.verbena.http"))
        .withPropertyValues(
            "verbena.server.http.enabled=true", "verbena.clients.stock.target=127.0.0.1:1")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("Add io.verbena:http-gateway"));
  }

  @Test
  void aValueOutOfRangeIsToldWithItsSetting() {
    Contexts.echo()
        .withPropertyValues("verbena.server.max-sessions=0")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("maxSessions")
                    .hasStackTraceContaining("Correct verbena.server.*"));
    Contexts.echo()
        .withPropertyValues("verbena.client.limits.dead-after=1s")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("deadAfter must be at least twice")
                    .hasStackTraceContaining("Correct verbena.client.*"));
    Contexts.echo()
        .withPropertyValues("verbena.clients.stock.attempts=99")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("client 'stock'")
                    .hasStackTraceContaining("attempts"));
  }

  @Test
  void aDeviceIsChosenForTheLinksOfBothEnds() {
    Contexts.echo()
        .withPropertyValues(
            "verbena.rdma.device=mlx5_0:1,type=roce-v2",
            "verbena.rdma.traffic-class=106",
            "verbena.rdma.rails=2")
        .run(
            context ->
                assertThat(context.getBean(Caller.class).stock().count("rose")).isEqualTo(4));
    Contexts.echo()
        .withPropertyValues("verbena.rdma.device=mlx5_0:first")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("not mlx5_0:first")
                    .hasStackTraceContaining("Correct verbena.rdma.*"));
  }

  @Test
  void aTrafficClassOutOfRangeIsRefused() {
    Contexts.echo()
        .withPropertyValues("verbena.rdma.traffic-class=256")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("trafficClass must be -1 to 255, not 256")
                    .hasStackTraceContaining("Correct verbena.rdma.*"));
  }

  @ParameterizedTest
  @CsvSource({
    "limits.max-message, maxMessage must be 4096 to 2147483647",
    "compress-from, compressFromBytes must be 1 to 2147483647",
    "http.max-request, maxRequestBytes must be 1 to 2147483647",
  })
  void aSizeThatDoesNotFitIsRefused(String property, String said) {
    Contexts.echo()
        .withPropertyValues(
            "verbena.server.http.enabled=true", "verbena.server." + property + "=5000000000B")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(said + ", not 5000000000")
                    .hasStackTraceContaining("Correct verbena.server.*"));
  }

  @EnableAutoConfiguration
  static class Nothing {}

  @ParameterizedTest
  @CsvSource({
    "verbena.server.tls.certifcate, verbena.server.tls.certificate",
    "verbena.listen, verbena.server.listen",
    "verbena.clients.stock.taget, verbena.clients.stock.target",
    "verbena.client.limits.maxmesage, verbena.client.limits.max-message",
  })
  @ExtendWith(OutputCaptureExtension.class)
  void aMisspeltPropertyIsToldWithTheOneThatIsMeant(
      String misspelt, String meant, CapturedOutput output) {
    SpringApplication application = new SpringApplication(Nothing.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    assertThatThrownBy(() -> application.run("--" + misspelt + "=tls.crt"))
        .hasStackTraceContaining(misspelt);
    assertThat(output)
        .contains(misspelt + " is not a property of Verbena")
        .contains("Write %s instead of %s".formatted(meant, misspelt));
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aServerThatEverybodyMayCallSaysSoOnce(CapturedOutput output) {
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withPropertyValues(
            "verbena.server.listen=0.0.0.0:0", "verbena.clients.stock.target=127.0.0.1:1")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output.toString().split("neither TLS nor an authenticator", -1)).hasSize(2);
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void oneForThisMachineAloneOrWithAnAuthenticatorSaysNothing(CapturedOutput output) {
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withPropertyValues(
            "verbena.server.listen=localhost:0", "verbena.clients.stock.target=127.0.0.1:1")
        .run(context -> assertThat(context).hasNotFailed());
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withBean(ClientAuthenticator.class, () -> shown -> "ali")
        .withPropertyValues(
            "verbena.server.listen=0.0.0.0:0", "verbena.clients.stock.target=127.0.0.1:1")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).doesNotContain("neither TLS nor an authenticator");
  }

  @Tag("long")
  @Test
  void aClientSaysWhichNameItsServersHave(@TempDir Path directory) throws Exception {
    Path certificate = directory.resolve("shop.crt");
    Path key = directory.resolve("shop.key");
    TestIdentity.create("CN=shop", "ip:127.0.0.1").write(certificate, key);
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withPropertyValues(
            "verbena.server.listen=127.0.0.1:0",
            "verbena.server.tls.certificate=" + certificate,
            "verbena.server.tls.private-key=" + key,
            "verbena.clients.stock.target=127.0.0.1:1")
        .run(
            server ->
                Contexts.plain()
                    .withUserConfiguration(Watched.class)
                    .withPropertyValues(
                        "verbena.server.enabled=false",
                        "verbena.client.tls.trust=" + certificate,
                        "verbena.clients.stock.authority=bank.example",
                        "verbena.clients.stock.target=" + Contexts.server(server).address())
                    .run(
                        client ->
                            assertThatThrownBy(
                                    () -> client.getBean(Caller.class).stock().count("rose"))
                                .hasMessageContaining("is not for 'bank.example'")));
  }

  @Test
  void bothEndsHaveTlsByPemFiles(@TempDir Path directory) throws Exception {
    Path certificate = directory.resolve("shop.crt");
    Path key = directory.resolve("shop.key");
    TestIdentity.create("CN=shop", "ip:127.0.0.1").write(certificate, key);
    Contexts.plain()
        .withUserConfiguration(Watched.class)
        .withPropertyValues(
            "verbena.server.listen=127.0.0.1:0",
            "verbena.server.tls.certificate=" + certificate,
            "verbena.server.tls.private-key=" + key,
            "verbena.clients.stock.target=127.0.0.1:1")
        .run(
            server ->
                Contexts.plain()
                    .withUserConfiguration(Watched.class)
                    .withPropertyValues(
                        "verbena.server.enabled=false",
                        "verbena.client.tls.trust=" + certificate,
                        "verbena.clients.stock.target=" + Contexts.server(server).address())
                    .run(
                        client ->
                            assertThat(client.getBean(Caller.class).stock().count("rose"))
                                .isEqualTo(1)));
  }

  @Test
  void aCertificateWithoutItsKeyIsRefused() {
    Contexts.echo()
        .withPropertyValues("verbena.server.tls.certificate=tls.crt")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining(
                        "verbena.server.tls has only one of certificate and private-key"));
  }
}
