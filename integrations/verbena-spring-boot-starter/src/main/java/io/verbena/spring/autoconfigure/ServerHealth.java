package io.verbena.spring.autoconfigure;

import io.verbena.core.VerbenaServer;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Reports the application's server: its address, its clients, and whether it drains. */
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
