package io.verbena.spring;

import io.verbena.core.VerbenaServer;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Contexts with what the starter brings, and in-memory addresses. */
final class Contexts {
  private Contexts() {}

  /** A context that serves at an address of its own. */
  static ApplicationContextRunner serving() {
    return plain().withPropertyValues("verbena.server.listen=" + anAddress());
  }

  /** A context that serves, and whose client 'stock' calls it. */
  static ApplicationContextRunner echo() {
    String address = anAddress();
    return plain()
        .withUserConfiguration(EchoApplication.class)
        .withPropertyValues(
            "verbena.server.listen=" + address,
            "verbena.clients.stock.target=" + address,
            "verbena.clients.stock.wait-for-ready=true"); // its server starts behind it
  }

  /** A context with every auto-configuration that the starter names, and no other. */
  static ApplicationContextRunner plain() {
    Class<?>[] own =
        ImportCandidates.load(AutoConfiguration.class, Contexts.class.getClassLoader())
            .getCandidates()
            .stream()
            .filter(name -> name.startsWith("io.verbena."))
            .map(Contexts::named)
            .toArray(Class<?>[]::new);
    return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(own));
  }

  private static Class<?> named(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  static String anAddress() {
    return "mem://" + UUID.randomUUID();
  }

  /** The server that a context runs. */
  static VerbenaServer server(ApplicationContext context) {
    return context.getBean(VerbenaServerLifecycle.class).server().orElseThrow();
  }
}
