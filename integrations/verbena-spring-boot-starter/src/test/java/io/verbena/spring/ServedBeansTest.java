package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.ToolProvider;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which beans are served, and what is said of those that cannot be. */
class ServedBeansTest {
  @VerbenaService
  static class Shelf implements Stock, Prices {
    @Override
    public int count(String article) {
      return article.length();
    }

    @Override
    public int cents(String article) {
      return 100 * article.length();
    }
  }

  /** Nested, and seen within the package alone. */
  @RpcService(name = "secrets.v1")
  interface Secrets {
    @RpcMethod(id = 1)
    String tell();
  }

  private static Session session(VerbenaClient client, ApplicationContext context) {
    return client.connect(Contexts.server(context).address().toString());
  }

  @Test
  void aBeanIsServedForEachOfItsContracts() {
    Contexts.serving()
        .withUserConfiguration(Shelf.class)
        .run(
            context -> {
              try (VerbenaClient client = VerbenaClient.builder().build()) {
                Session session = session(client, context);
                assertThat(StockRpc.client(session).count("rose")).isEqualTo(4);
                assertThat(PricesRpc.client(session).cents("rose")).isEqualTo(400);
              }
            });
  }

  @VerbenaService(contracts = Prices.class)
  static class OnlyPrices implements Stock, Prices {
    @Override
    public int count(String article) {
      return 0;
    }

    @Override
    public int cents(String article) {
      return 1;
    }
  }

  @Test
  void aBeanIsServedForTheContractsThatAreNamedAlone() {
    Contexts.serving()
        .withUserConfiguration(OnlyPrices.class)
        .run(
            context -> {
              try (VerbenaClient client = VerbenaClient.builder().build()) {
                assertThat(client.services(session(client, context)).toCompletableFuture().join())
                    .containsExactly("prices.v1", "verbena.health.v1");
              }
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class NestedAndLambda {
    @Bean
    @VerbenaService
    Secrets secrets() {
      return () -> "told";
    }
  }

  @Test
  void aContractMayBeNestedAndOfItsPackageAlone() {
    Contexts.serving()
        .withUserConfiguration(NestedAndLambda.class)
        .run(
            context -> {
              try (VerbenaClient client = VerbenaClient.builder().build()) {
                Session session = session(client, context);
                assertThat(ServedBeansTest_SecretsRpc.client(session).tell()).isEqualTo("told");
              }
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callsPassTheProxyAroundABean(boolean byClass) {
    AtomicInteger passed = new AtomicInteger();
    MethodInterceptor counting =
        call -> {
          passed.incrementAndGet();
          return call.proceed();
        };
    Contexts.serving()
        .withBean("shelf", Shelf.class)
        .withBean("counting", MethodInterceptor.class, () -> counting)
        .withBean(BeanNameAutoProxyCreator.class, () -> around(byClass))
        .run(
            context -> {
              assertThat(context.getBean("shelf") instanceof Shelf).isEqualTo(byClass);
              try (VerbenaClient client = VerbenaClient.builder().build()) {
                assertThat(StockRpc.client(session(client, context)).count("rose")).isEqualTo(4);
                assertThat(passed).hasValue(1);
              }
            });
  }

  private static BeanNameAutoProxyCreator around(boolean byClass) {
    BeanNameAutoProxyCreator proxies = new BeanNameAutoProxyCreator();
    proxies.setBeanNames("shelf");
    proxies.setInterceptorNames("counting");
    proxies.setProxyTargetClass(byClass);
    return proxies;
  }

  @Test
  void aContextWithNothingToServeStartsNoServer() {
    Contexts.plain()
        .run(
            context -> {
              assertThat(context.getBean(VerbenaServerLifecycle.class).server()).isEmpty();
              assertThat(context.getBeanFactory().containsSingleton("verbenaClient")).isFalse();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"verbena.enabled=false", "verbena.server.enabled=false"})
  void nothingIsServedWhereItIsSwitchedOff(String property) {
    Contexts.serving()
        .withUserConfiguration(Shelf.class)
        .withPropertyValues(property)
        .run(context -> assertThat(context).doesNotHaveBean(VerbenaServerLifecycle.class));
  }

  @VerbenaService
  static class NoContract implements Runnable {
    @Override
    public void run() {}
  }

  @Test
  void aBeanWithoutAContractIsRefused() {
    Contexts.serving()
        .withUserConfiguration(NoContract.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessage(
                        "The bean 'servedBeansTest.NoContract' with @VerbenaService, a "
                            + NoContract.class.getName()
                            + ", implements no contract. Implement an interface with @RpcService, or remove @VerbenaService."));
  }

  @VerbenaService
  static class OtherStock implements Stock {
    @Override
    public int count(String article) {
      return 0;
    }
  }

  @Test
  void twoBeansOfOneContractAreRefused() {
    Contexts.serving()
        .withUserConfiguration(Shelf.class, OtherStock.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("service stock.v1")
                    .hasMessageContaining("servedBeansTest.Shelf")
                    .hasMessageContaining("servedBeansTest.OtherStock"));
  }

  @Test
  void whereNothingWasGeneratedItSaysHowToHaveIt(@TempDir Path directory) throws Exception {
    Class<?> contract = compiledWithoutTheProcessor(directory);
    Object bean =
        Proxy.newProxyInstance(
            contract.getClassLoader(), new Class<?>[] {contract}, (proxy, method, args) -> null);
    Contexts.serving()
        .withUserConfiguration(Given.class)
        .withBean("given", Object.class, () -> bean)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("lost.Lost is a contract, and lost.LostRpc")
                    .hasMessageContaining("io.verbena:codegen in annotationProcessorPaths"));
  }

  @Configuration(proxyBeanMethods = false)
  static class Given {
    @Bean
    @VerbenaService
    Object served(Object given) {
      return given;
    }
  }

  private static Class<?> compiledWithoutTheProcessor(Path directory)
      throws IOException, ClassNotFoundException {
    Path source = directory.resolve("Lost.java");
    Files.writeString(
        source,
        "package lost; @io.verbena.api.RpcService(name = \"lost.v1\") public interface Lost {}");
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-d", directory.toString(), source.toString());
    assertThat(code).isZero();
    return new URLClassLoader(new URL[] {directory.toUri().toURL()}).loadClass("lost.Lost");
  }
}
