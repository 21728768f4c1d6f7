package io.verbena.spring.autoconfigure;

import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.spring.VerbenaProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.grpc.client.autoconfigure.CompositeChannelFactoryAutoConfiguration;
import org.springframework.boot.grpc.client.autoconfigure.GrpcChannelFactoryCustomizer;
import org.springframework.boot.grpc.client.autoconfigure.GrpcClientAutoConfiguration;
import org.springframework.boot.grpc.client.autoconfigure.GrpcClientProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.grpc.client.ChannelCredentialsProvider;
import org.springframework.grpc.client.ClientInterceptorsConfigurer;

/** Lets Spring's channels of gRPC have targets that begin with {@code verbena:}. */
@AutoConfiguration(
    after = {VerbenaAutoConfiguration.class, GrpcClientAutoConfiguration.class},
    before = CompositeChannelFactoryAutoConfiguration.class)
@ConditionalOnClass({VerbenaChannelBuilder.class, GrpcClientAutoConfiguration.class})
@ConditionalOnBean(GrpcClientProperties.class)
@ConditionalOnBooleanProperty(
    name = {"verbena.enabled", "spring.grpc.client.channelfactory.enabled"},
    matchIfMissing = true)
final class VerbenaGrpcClientAutoConfiguration {
  /** Before Boot's own factory, which says that it supports every target. */
  @Bean(SpringGrpcChannels.BEAN)
  @Order(Ordered.HIGHEST_PRECEDENCE)
  SpringGrpcChannels verbenaGrpcChannels(
      VerbenaProperties properties,
      GrpcClientProperties grpc,
      Environment environment,
      ClientInterceptorsConfigurer interceptors,
      ChannelCredentialsProvider credentials,
      ObjectProvider<GrpcChannelFactoryCustomizer> customizers,
      ConfigurableListableBeanFactory beans) {
    SpringGrpcChannels factory = new SpringGrpcChannels(properties.client(), interceptors, beans);
    factory.setVirtualTargets(
        name -> {
          GrpcClientProperties.Channel set = grpc.getChannel().get(name);
          return environment.resolvePlaceholders(set == null ? name : set.getTarget());
        });
    factory.setCredentialsProvider(credentials);
    customizers.orderedStream().forEach(customizer -> customizer.customize(factory));
    return factory;
  }
}
