package hello;

import io.verbena.core.VerbenaClient;
import io.verbena.spring.VerbenaService;
import io.verbena.spring.autoconfigure.VerbenaServerLifecycle;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application that serves a bean, calls it over TCP, and ends. */
@SpringBootApplication
public class Hello {
  /** Prints the answer of one call. */
  public static void main(String[] args) {
    SpringApplication.run(Hello.class, args).close();
  }

  @Bean
  @VerbenaService
  Greeter english() {
    return name -> "Hello, " + name + "!";
  }

  @Bean
  CommandLineRunner caller(VerbenaServerLifecycle here, VerbenaClient client) {
    return _ -> {
      try (var session = client.connect(here.server().orElseThrow().address().toString())) {
        System.out.println(GreeterRpc.client(session).greet("world"));
      }
    };
  }
}
