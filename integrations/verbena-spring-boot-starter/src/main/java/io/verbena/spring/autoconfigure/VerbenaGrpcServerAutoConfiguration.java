package io.verbena.spring.autoconfigure;

import io.grpc.BindableService;
import io.verbena.grpc.VerbenaServerBuilder;
import io.verbena.spring.VerbenaProperties;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.grpc.server.autoconfigure.GrpcServerAutoConfiguration;
import org.springframework.boot.grpc.server.autoconfigure.GrpcServerServicesAutoConfiguration;
import org.springframework.boot.grpc.server.autoconfigure.health.GrpcServerHealthAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.grpc.server.GrpcServerFactory;
import org.springframework.grpc.server.InProcessGrpcServerFactory;
import org.springframework.grpc.server.service.GrpcServiceConfigurer;
import org.springframework.grpc.server.service.GrpcServiceDiscoverer;

/** Serves Spring's services of gRPC at the port of Verbena's server, in place of Boot's own. */
@AutoConfiguration(
    after = {
      VerbenaAutoConfiguration.class,
      GrpcServerServicesAutoConfiguration.class,
      GrpcServerHealthAutoConfiguration.class
    },
    before = GrpcServerAutoConfiguration.class)
@ConditionalOnClass({VerbenaServerBuilder.class, GrpcServerAutoConfiguration.class})
@ConditionalOnBean(BindableService.class)
@ConditionalOnMissingBean(
    value = GrpcServerFactory.class,
    ignored = InProcessGrpcServerFactory.class)
@ConditionalOnBooleanProperty(
    name = {
      "verbena.enabled",
      "verbena.server.enabled",
      "verbena.server.grpc",
      "spring.grpc.server.enabled",
      "spring.grpc.server.factory.enabled"
    },
    matchIfMissing = true)
final class VerbenaGrpcServerAutoConfiguration {
  @Bean
  SpringGrpcServer verbenaGrpcServer(
      VerbenaProperties properties,
      Environment environment,
      GrpcServiceDiscoverer discoverer,
      GrpcServiceConfigurer configurer,
      ApplicationEventPublisher events,
      ConfigurableListableBeanFactory beans) {
    refuseOtherPort(environment);
    SpringGrpcServer server =
        new SpringGrpcServer(
            beans, SessionLimitsOf.properties(properties.server().limits()), events);
    discoverer.findServices().stream()
        .map(service -> configurer.configure(service, server))
        .forEach(server::addService);
    return server;
  }

  /** Nobody shall wait at another port, or without the TLS that was asked for. */
  private static void refuseOtherPort(Environment environment) {
    String set =
        Stream.of("port", "address", "ssl.enabled", "ssl.bundle", "netty.domain-socket-path")
            .map("spring.grpc.server."::concat)
            .filter(environment::containsProperty)
            .findFirst()
            .orElse(null);
    if (set != null) {
      throw new VerbenaStartException(
          set + " is set, but Verbena's server serves the services of gRPC",
          "Set verbena.server.listen and verbena.server.tls.* in its place; clients of HTTP/2 use"
              + " the same port. Or set verbena.server.grpc=false, and Spring's own server serves"
              + " them.");
    }
  }
}
