package io.verbena.channel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Holds the statuses of a server's services. The server as a whole, whose name is empty, is SERVING
 * from the start. Safe for use by any thread.
 */
public final class HealthBoard implements Health {
  private final ConcurrentMap<String, Status> services = new ConcurrentHashMap<>();

  /** Makes a board on which the server as a whole is SERVING, and no other service has a status. */
  public HealthBoard() {
    services.put("", Status.SERVING);
  }

  /** Sets the status of a service from now on; {@code ""} is the server as a whole. */
  public void set(String service, Status status) {
    services.put(service, status);
  }

  @Override
  public Status check(String service) {
    return services.getOrDefault(service, Status.UNKNOWN);
  }
}
