package io.verbena.spring.autoconfigure;

import io.verbena.channel.HealthBoard;
import io.verbena.core.VerbenaClient;
import io.verbena.observe.AccessLog;
import io.verbena.spring.VerbenaChannelCustomizer;
import io.verbena.spring.VerbenaProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextStartedEvent;
import org.springframework.core.annotation.Order;

/** Serves beans, and injects stubs. Without either, it starts nothing. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "verbena.enabled", matchIfMissing = true)
@EnableConfigurationProperties(VerbenaProperties.class)
final class VerbenaAutoConfiguration {
  /** Registers the resolver of stubs before the first bean that needs one is made. */
  @Bean
  static BeanFactoryPostProcessor verbenaStubs() {
    return beans -> {
      if (beans instanceof DefaultListableBeanFactory factory) {
        factory.setAutowireCandidateResolver(new StubResolver(factory));
      }
    };
  }

  /** The sessions that the application's client has opened. */
  @Bean
  OpenSessions verbenaClientSessions() {
    return new OpenSessions();
  }

  @Bean
  RdmaLinks verbenaRdmaLinks(VerbenaProperties properties) {
    return RdmaLinks.of(properties.rdma());
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  VerbenaClient verbenaClient(
      VerbenaProperties properties,
      ConfigurableListableBeanFactory beans,
      OpenSessions verbenaClientSessions) {
    try {
      VerbenaClient.Builder client = VerbenaClient.builder();
      EndSetup.apply(properties.client(), beans, client);
      return client.sessionListener(verbenaClientSessions.listener()).build();
    } catch (IllegalArgumentException e) {
      throw new VerbenaStartException(
          "Verbena's client cannot be set up: " + e.getMessage(),
          "Correct verbena.client.*. The message above names the setting, such as"
              + " verbena.client.limits.dead-after for deadAfter.",
          e);
    }
  }

  @Bean(SpringChannels.BEAN)
  @Lazy
  SpringChannels verbenaChannels(
      VerbenaClient client, VerbenaProperties properties, ConfigurableListableBeanFactory beans) {
    return new SpringChannels(
        client,
        properties,
        EndSetup.ordered(beans, VerbenaChannelCustomizer.class),
        EndSetup.ordered(beans, ChannelObserver.class),
        beans);
  }

  /** Runs behind the start of all beans with a life cycle, among them the server. */
  @Bean
  static ApplicationListener<ContextStartedEvent> verbenaResumption(
      ConfigurableListableBeanFactory beans) {
    return _ -> {
      if (beans.getSingleton(SpringChannels.BEAN) instanceof SpringChannels made) {
        made.resumed();
      }
    };
  }

  @Bean
  @Order(ObserverOrder.ACCESS_LOG)
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty("verbena.server.access-log")
  AccessLog verbenaAccessLog() {
    return new AccessLog();
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBooleanProperty(name = "verbena.server.enabled", matchIfMissing = true)
  static final class Serving {
    @Bean
    @ConditionalOnMissingBean
    HealthBoard verbenaHealthBoard() {
      return new HealthBoard();
    }

    /**
     * SpringApplication publishes an event when the application is ready; other contexts do not.
     */
    @Bean
    Readiness verbenaReadiness(ApplicationContext context, HealthBoard board) {
      boolean says =
          context.getBeanProvider(ApplicationArguments.class).stream().findAny().isPresent();
      return new Readiness(context, board, !says);
    }

    @Bean
    VerbenaServerLifecycle verbenaServer(
        VerbenaProperties properties,
        ConfigurableListableBeanFactory beans,
        HealthBoard board,
        Readiness readiness,
        ObjectProvider<CarriedServer> carried) {
      return new VerbenaServerLifecycle(properties.server(), beans, board, readiness, carried);
    }
  }
}
