package io.verbena.spring;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Serves a contract, and has a stub of it that calls it. */
@Configuration(proxyBeanMethods = false)
class EchoApplication {
  /** Calls the application that it is of. */
  record Caller(Stock stock) {}

  @Bean
  @VerbenaService
  Stock served() {
    return article -> {
      if (article.isEmpty()) {
        throw new IllegalArgumentException("which?");
      }
      return article.length();
    };
  }

  @Bean
  Caller caller(@VerbenaStub("stock") Stock stock) {
    return new Caller(stock);
  }
}
