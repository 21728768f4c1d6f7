package io.verbena.spring.autoconfigure;

import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Tells Spring Boot's health of the server and of each channel. The condition that names a class of
 * health's stands at methods: at this class, Spring would look for it where health is not there.
 */
@AutoConfiguration(after = VerbenaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
final class VerbenaHealthAutoConfiguration {
  @Bean
  @ConditionalOnEnabledHealthIndicator("verbena")
  @ConditionalOnBean(VerbenaServerLifecycle.class)
  ServerHealth verbenaServerHealthIndicator(VerbenaServerLifecycle lifecycle) {
    return new ServerHealth(lifecycle);
  }

  /** Asking for health makes no client. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("verbena")
  @ConditionalOnBean(Channels.class)
  ClientsHealth verbenaClientsHealthContributor(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<Channels> channels,
      OpenSessions verbenaClientSessions) {
    return new ClientsHealth(
        () -> beans.containsSingleton(Channels.BEAN) ? channels.getObject().all() : Map.of(),
        verbenaClientSessions);
  }
}
