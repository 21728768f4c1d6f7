package io.verbena.spring.autoconfigure;

import io.verbena.core.VerbenaServer;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Tells of the application's server: where it listens, whether it drains, how many call it. */
final class ServerHealth implements HealthIndicator {
  private final VerbenaServerLifecycle lifecycle;

  ServerHealth(VerbenaServerLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  public Health health() {
    VerbenaServer server = lifecycle.server().orElse(null);
    if (server == null) {
      return Health.unknown().withDetail("server", "it is not started").build();
    }
    Health.Builder health = lifecycle.isDraining() ? Health.outOfService() : Health.up();
    return health
        .withDetail("server", lifecycle.isDraining() ? "draining" : "listening")
        .withDetail("address", server.address().toString())
        .withDetail("sessions", lifecycle.sessions().all().size())
        .build();
  }
}
