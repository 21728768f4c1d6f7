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
 * Tells Spring Boot's health of the server and of each channel. The condition that names a class of
 * health's stands at methods: at this class, Spring would look for it where health is not there.
 */
@AutoConfiguration(after = VerbenaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
final class VerbenaHealthAutoConfiguration {
  /** Where nothing is served there is none, and nothing to tell of it. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("verbena")
  @ConditionalOnBean(VerbenaServerLifecycle.class)
  @Nullable ServerHealth verbenaServerHealthIndicator(
      VerbenaServerLifecycle lifecycle, ListableBeanFactory beans) {
    boolean serves = beans.getBeanNamesForAnnotation(VerbenaService.class).length > 0;
    return serves ? new ServerHealth(lifecycle) : null;
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
