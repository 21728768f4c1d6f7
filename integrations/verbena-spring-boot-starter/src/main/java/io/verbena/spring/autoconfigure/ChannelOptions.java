package io.verbena.spring.autoconfigure;

import io.verbena.api.CallOptions;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Balancer;
import io.verbena.channel.Retries;
import io.verbena.spring.VerbenaProperties.Client;
import io.verbena.spring.VerbenaProperties.HealthCheck;
import io.verbena.spring.VerbenaProperties.Remote;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.PropertyMapper;

/** The settings of one client; those that it does not set are the settings of all clients. */
record ChannelOptions(@Nullable Remote own, Client all, BeanFactory beans) {
  private static final Duration HEALTH_PERIOD = Duration.ofSeconds(5);

  CallOptions calls() {
    return CallOptions.DEFAULT.withTimeout(pick(Remote::timeout, all.timeout()));
  }

  void apply(BalancedChannel.Builder channel) {
    PropertyMapper map = PropertyMapper.get();
    map.from(pick(Remote::authority, null)).to(channel::authority);
    map.from(pick(Remote::balancer, all.balancer()))
        .as(name -> balancer(name, beans))
        .to(channel::balancer);
    map.from(pick(Remote::waitForReady, all.waitForReady()))
        .whenTrue()
        .toCall(channel::waitForReady);
    map.from(pick(Remote::hedgeAfter, all.hedgeAfter())).to(channel::hedgeAfter);
    map.from(pick(Remote::attempts, all.attempts()))
        .as(ChannelOptions::retries)
        .to(channel::retries);
    map.from(pick(Remote::zone, all.zone())).to(channel::zone);
    map.from(pick(Remote::subset, all.subset())).to(channel::subset);
    if (Objects.requireNonNullElse(health(HealthCheck::enabled), true)) {
      channel.health(
          Objects.requireNonNullElse(health(HealthCheck::service), ""),
          Objects.requireNonNullElse(health(HealthCheck::period), HEALTH_PERIOD));
    }
  }

  private <T> @Nullable T pick(Function<Remote, @Nullable T> property, @Nullable T otherwise) {
    T set = own == null ? null : property.apply(own);
    return set == null ? otherwise : set;
  }

  private <T> @Nullable T health(Function<HealthCheck, @Nullable T> property) {
    return pick(remote -> property.apply(remote.health()), property.apply(all.health()));
  }

  /** Returns retries with the default delays and budget. */
  private static Retries retries(int attempts) {
    return Retries.DEFAULT.withAttempts(attempts);
  }

  /** Returns the balancer of a rule, or the bean of this name. */
  private static Balancer balancer(String name, BeanFactory beans) {
    return switch (name.strip().toLowerCase(Locale.ROOT).replace('_', '-')) {
      case "round-robin" -> Balancer.roundRobin();
      case "pick-first" -> Balancer.pickFirst();
      case "least-in-flight" -> Balancer.leastInFlight();
      case "weighted" -> Balancer.weighted();
      default -> bean(name.strip(), beans);
    };
  }

  private static Balancer bean(String name, BeanFactory beans) {
    try {
      return beans.getBean(name, Balancer.class);
    } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
      throw new IllegalArgumentException(
          "balancer must be round-robin, pick-first, least-in-flight, weighted, or the name of a bean of type Balancer, not "
              + name,
          e);
    }
  }
}
