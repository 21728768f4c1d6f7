package io.verbena.samples.spring.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** The first application; its properties are in {@code shop.properties}. */
@SpringBootApplication
public class ShopApplication {
  /** Two applications share this class path, so each has its own name for the properties' file. */
  public static SpringApplicationBuilder builder() {
    return new SpringApplicationBuilder(ShopApplication.class)
        .properties("spring.config.name=shop");
  }

  /** Runs until the process is asked to end. */
  public static void main(String[] args) {
    builder().run(args);
  }
}
