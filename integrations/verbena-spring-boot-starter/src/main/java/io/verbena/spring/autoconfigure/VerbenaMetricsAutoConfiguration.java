package io.verbena.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.observe.micrometer.ChannelMetrics;
import io.verbena.observe.micrometer.ClientMetrics;
import io.verbena.observe.micrometer.EngineMetrics;
import io.verbena.observe.micrometer.ServerMetrics;
import io.verbena.observe.micrometer.SessionMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Measures calls, sessions and memory, if Micrometer has a registry. */
@AutoConfiguration(
    after = VerbenaAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({MeterRegistry.class, ServerMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "verbena.enabled", matchIfMissing = true)
final class VerbenaMetricsAutoConfiguration {
  @Bean
  @Order(ObserverOrder.METRICS)
  @ConditionalOnMissingBean
  ServerMetrics verbenaServerMetrics(MeterRegistry registry) {
    return new ServerMetrics(registry);
  }

  @Bean
  @Order(ObserverOrder.METRICS)
  @ConditionalOnMissingBean
  ClientMetrics verbenaClientMetrics(MeterRegistry registry) {
    return new ClientMetrics(registry);
  }

  @Bean
  @ConditionalOnMissingBean
  SessionMetrics verbenaSessionMetrics(MeterRegistry registry) {
    return new SessionMetrics(registry);
  }

  @Bean
  ChannelObserver verbenaChannelMetrics(MeterRegistry registry) {
    return (name, channel) -> new ChannelMetrics(channel, name).bindTo(registry);
  }

  /** Spring Boot binds it to each registry. */
  @Bean
  @ConditionalOnMissingBean
  EngineMetrics verbenaEngineMetrics() {
    return new EngineMetrics();
  }
}
