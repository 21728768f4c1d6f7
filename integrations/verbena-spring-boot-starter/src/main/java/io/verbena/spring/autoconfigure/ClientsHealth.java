package io.verbena.spring.autoconfigure;

import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelStat.EndpointStat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports each channel: up while one of its servers takes calls. For each server it reports the
 * reason that calls do not go there, and the path that calls take.
 */
final class ClientsHealth implements CompositeHealthContributor {
  private final Supplier<Map<String, BalancedChannel>> channels;
  private final OpenSessions sessions;

  ClientsHealth(Supplier<Map<String, BalancedChannel>> channels, OpenSessions sessions) {
    this.channels = channels;
    this.sessions = sessions;
  }

  @Override
  public @Nullable HealthContributor getContributor(String name) {
    BalancedChannel channel = channels.get().get(name);
    return channel == null ? null : indicator(channel);
  }

  @Override
  public Stream<Entry> stream() {
    return channels.get().entrySet().stream()
        .map(entry -> new Entry(entry.getKey(), indicator(entry.getValue())));
  }

  private HealthIndicator indicator(BalancedChannel channel) {
    return () -> {
      ChannelStat now = channel.stat();
      Health.Builder health =
          now.why().isEmpty() ? Health.up() : Health.down().withDetail("why", now.why());
      return health
          .withDetail("servers", now.endpoints().stream().map(this::told).toList())
          .build();
    };
  }

  private Map<String, Object> told(EndpointStat endpoint) {
    Map<String, Object> told = new LinkedHashMap<>();
    String address = endpoint.endpoint().address();
    told.put("address", address);
    told.put("session", endpoint.state().name());
    if (!endpoint.why().isEmpty()) {
      told.put("why", endpoint.why());
    }
    sessions.all().stream()
        .filter(session -> isWith(session, address))
        .findFirst()
        .ifPresent(session -> told.put("path", session.path().toString()));
    told.put("inFlight", endpoint.inFlight());
    return told;
  }

  private static boolean isWith(Session session, String address) {
    String peer = session.peer().address();
    return peer.equals(address) || peer.equals("tcp://" + address);
  }
}
