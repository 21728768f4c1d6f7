package io.verbena.spring.autoconfigure;

import io.opentelemetry.api.OpenTelemetry;
import io.verbena.observe.opentelemetry.ChannelTelemetry;
import io.verbena.observe.opentelemetry.ClientTelemetry;
import io.verbena.observe.opentelemetry.ServerTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Traces and measures calls, if there is an {@link OpenTelemetry}. */
@AutoConfiguration(
    after = VerbenaAutoConfiguration.class,
    afterName =
        "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration")
@ConditionalOnClass({OpenTelemetry.class, ServerTelemetry.class})
@ConditionalOnBean(OpenTelemetry.class)
@ConditionalOnBooleanProperty(name = "verbena.enabled", matchIfMissing = true)
final class VerbenaTelemetryAutoConfiguration {
  @Bean
  @Order(ObserverOrder.TELEMETRY)
  @ConditionalOnMissingBean
  ServerTelemetry verbenaServerTelemetry(OpenTelemetry telemetry) {
    return new ServerTelemetry(telemetry);
  }

  @Bean
  @Order(ObserverOrder.TELEMETRY)
  @ConditionalOnMissingBean
  ClientTelemetry verbenaClientTelemetry(OpenTelemetry telemetry) {
    return new ClientTelemetry(telemetry);
  }

  @Bean
  ChannelObserver verbenaChannelTelemetry(OpenTelemetry telemetry) {
    return (name, channel) -> new ChannelTelemetry(telemetry, channel, name);
  }
}
