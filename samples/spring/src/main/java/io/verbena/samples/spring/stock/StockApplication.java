package io.verbena.samples.spring.stock;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** The second application; its properties are in {@code stock.properties}. */
@SpringBootApplication
public class StockApplication {
  /** Runs until the process is asked to end. */
  public static void main(String[] args) {
    new SpringApplicationBuilder(StockApplication.class)
        .properties("spring.config.name=stock")
        .run(args);
  }
}
