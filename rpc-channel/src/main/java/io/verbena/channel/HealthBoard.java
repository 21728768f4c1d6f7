package io.verbena.channel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What a server says of its services. The server as a whole, the service with the empty name, is
 * SERVING from the start. Safe for use by any thread.
 */
public final class HealthBoard implements Health {
  private final ConcurrentMap<String, Status> services = new ConcurrentHashMap<>();

  /** A board on which the server as a whole is SERVING, and nothing is said of others. */
  public HealthBoard() {
    services.put("", Status.SERVING);
  }

  /** Says how a service stands from now on; {@code ""} is the server as a whole. */
  public void set(String service, Status status) {
    services.put(service, status);
  }

  @Override
  public Status check(String service) {
    return services.getOrDefault(service, Status.UNKNOWN);
  }
}
