package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaServer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import lombok.RequiredArgsConstructor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Stubs are injected in these places, and call these servers. */
@ExtendWith(OutputCaptureExtension.class)
class InjectedStubsTest {
  private final String address = Contexts.anAddress();
  private final VerbenaServer server =
      VerbenaServer.builder().listen(address).serve(StockRpc.bind(String::length)).start();
  private final ApplicationContextRunner contexts =
      Contexts.plain().withPropertyValues("verbena.clients.stock.target=" + address);

  @AfterEach
  void close() {
    server.close();
  }

  /** Takes stubs in every way there is. */
  static class Taker {
    final Stock constructed;
    final StockRpc.Async async;
    final ObjectProvider<Stock> provider;
    final Optional<Stock> optional;

    @VerbenaStub("stock")
    @Nullable Stock field;

    @Nullable Stock set;

    Taker(
        @VerbenaStub("stock") Stock constructed,
        @VerbenaStub("${its.name:stock}") StockRpc.Async async,
        @VerbenaStub("stock") ObjectProvider<Stock> provider,
        @VerbenaStub("stock") Optional<Stock> optional) {
      this.constructed = constructed;
      this.async = async;
      this.provider = provider;
      this.optional = optional;
    }

    @VerbenaStub("stock")
    void setStock(Stock stock) {
      this.set = stock;
    }
  }

  @Test
  void constructorsFieldsAndSettersTakeStubs() {
    contexts
        .withUserConfiguration(Taker.class)
        .run(
            context -> {
              Taker taker = context.getBean(Taker.class);
              assertThat(taker.constructed.count("rose")).isEqualTo(4);
              assertThat(taker.async.count("rose").toCompletableFuture().join()).isEqualTo(4);
              assertThat(taker.provider.getObject().count("rose")).isEqualTo(4);
              assertThat(taker.optional.orElseThrow().count("rose")).isEqualTo(4);
              assertThat(taker.field).isNotNull();
              assertThat(taker.set).isNotNull();
              assertThat(context.getBean(VerbenaChannels.class).all()).containsOnlyKeys("stock");
            });
  }

  @Test
  void constructorsOfLombokTakeTheStubsOfTheirFields(@TempDir Path directory) throws Exception {
    String source =
        """
        import io.verbena.spring.*;

        @lombok.RequiredArgsConstructor
        public class Shelf implements java.util.function.IntSupplier {
          @VerbenaStub("stock") private final Stock here;
          @VerbenaStub("archive") private final StockRpc.Async there;
          private final Runnable other;

          @Override
          public int getAsInt() {
            return here.count("rose") - there.count("").toCompletableFuture().join();
          }
        }
        """;
    compileWithLombok(Files.writeString(directory.resolve("Shelf.java"), source), directory);
    try (URLClassLoader classes = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      Class<?> shelf = classes.loadClass("Shelf");
      contexts
          .withPropertyValues("verbena.clients.archive.target=" + address)
          .withBean(Runnable.class, () -> () -> {})
          .withUserConfiguration(shelf)
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(IntSupplier.class).getAsInt()).isEqualTo(4);
                assertThat(context.getBean(VerbenaChannels.class).all())
                    .containsOnlyKeys("stock", "archive");
              });
    }
  }

  /** In a process of its own, since Lombok reaches into the compiler that it runs in. */
  private static void compileWithLombok(Path source, Path into) throws Exception {
    String lombok =
        Path.of(
                RequiredArgsConstructor.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI())
            .toString();
    Process javac =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "-parameters", // as Spring Boot's builds have it
                "-cp",
                System.getProperty("java.class.path"),
                "-processorpath",
                lombok,
                "-d",
                into.toString(),
                source.toString())
            .inheritIO()
            .start();
    try {
      assertThat(javac.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(javac.exitValue()).isZero();
    } finally {
      javac.destroyForcibly();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class BeanMethod {
    @Bean
    Integer roses(@VerbenaStub("stock") Stock stock) {
      return stock.count("rose");
    }
  }

  @Test
  void beanMethodsTakeStubsThatCallAtOnce() {
    contexts
        .withUserConfiguration(BeanMethod.class)
        .run(context -> assertThat(context.getBean(Integer.class)).isEqualTo(4));
  }

  @Configuration(proxyBeanMethods = false)
  static class BothEnds {
    @Bean
    @VerbenaService
    Stock mine() {
      return article -> -1;
    }

    @Bean
    Integer roses(@VerbenaStub("stock") Stock stock) {
      return stock.count("rose");
    }
  }

  @Test
  void aBeanOfTheContractIsNotTakenForItsStub() {
    contexts
        .withPropertyValues("verbena.server.listen=" + Contexts.anAddress())
        .withUserConfiguration(BothEnds.class)
        .run(context -> assertThat(context.getBean(Integer.class)).isEqualTo(4));
  }

  @Configuration(proxyBeanMethods = false)
  static class ForTests {
    @Bean
    Stock fake() {
      return article -> 7;
    }

    @Bean
    Integer roses(@VerbenaStub("stock") Stock stock) {
      return stock.count("rose");
    }
  }

  @Test
  void whereVerbenaIsSwitchedOffABeanStandsInForAStub() {
    contexts
        .withPropertyValues("verbena.enabled=false")
        .withUserConfiguration(ForTests.class)
        .run(context -> assertThat(context.getBean(Integer.class)).isEqualTo(7));
  }

  /** Its target is not set. */
  static class ByName {
    final Stock stock;

    ByName(@VerbenaStub("by-name") Stock stock) {
      this.stock = stock;
    }
  }

  @Test
  void withoutATargetAClientIsLookedForByItsName() {
    NamedServers.put("by-name", address);
    Contexts.plain()
        .withUserConfiguration(ByName.class)
        .run(context -> assertThat(context.getBean(ByName.class).stock.count("rose")).isEqualTo(4));
  }

  @Test
  void aTargetThatNobodyKnowsIsToldWithItsClient() {
    Contexts.plain()
        .withPropertyValues("verbena.clients.stock.target=carrier-pigeon:loft")
        .withUserConfiguration(BeanMethod.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                        "client 'stock' cannot be made, with servers at 'carrier-pigeon:loft'")
                    .hasStackTraceContaining("Set verbena.clients.stock.target to host:port"));
  }

  @Test
  void aNameThatNoStubHasIsToldWithThoseThereAre(CapturedOutput output) {
    NamedServers.put("by-name", address);
    Contexts.plain()
        .withPropertyValues("verbena.clients.by-nane.timeout=2s")
        .withUserConfiguration(ByName.class)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output)
        .contains("No stub asks for verbena.clients.by-nane; injected stubs use [by-name]");
  }

  static class NoStub {
    NoStub(@VerbenaStub("stock") Runnable stub) {}
  }

  @Test
  void whatIsNoContractHasNoStub() {
    contexts
        .withUserConfiguration(NoStub.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("There is no stub of java.lang.Runnable"));
  }

  static class NoName {
    NoName(@VerbenaStub("") Stock stub) {}
  }

  @Test
  void aClientHasAName() {
    contexts
        .withUserConfiguration(NoName.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("A stub's client has no name"));
  }
}
