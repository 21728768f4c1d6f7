package io.verbena.spring.autoconfigure;

import io.verbena.spring.VerbenaService;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Reports the server and each channel to Spring Boot's health. Conditions that name a class of the
 * health module stand at methods. At this class, Spring would load that class even without the
 * module.
 */
@AutoConfiguration(after = VerbenaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
final class VerbenaHealthAutoConfiguration {
  /** Without a served bean there is no server, and nothing to report. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("verbena")
  @ConditionalOnBean(VerbenaServerLifecycle.class)
  @Nullable ServerHealth verbenaServerHealthIndicator(
      VerbenaServerLifecycle lifecycle, ListableBeanFactory beans) {
    boolean serves = beans.getBeanNamesForAnnotation(VerbenaService.class).length > 0;
    return serves ? new ServerHealth(lifecycle) : null;
  }

  /** A request for health does not make the client. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("verbena")
  @ConditionalOnBean(SpringChannels.class)
  ClientsHealth verbenaClientsHealthContributor(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<SpringChannels> channels,
      OpenSessions verbenaClientSessions) {
    return new ClientsHealth(
        () -> beans.containsSingleton(SpringChannels.BEAN) ? channels.getObject().all() : Map.of(),
        verbenaClientSessions);
  }
}
