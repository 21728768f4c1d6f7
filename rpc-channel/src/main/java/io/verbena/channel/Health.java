package io.verbena.channel;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/**
 * Says whether the services of a server are ready. Serve it like any contract: {@code
 * server.serve(HealthRpc.bind(board))}, with a {@link HealthBoard}.
 */
@RpcService(name = "verbena.health.v1")
public interface Health {
  /** The status of a service. */
  enum Status {
    /** The service takes calls. */
    SERVING,
    /** The service exists, but does not take calls now. */
    NOT_SERVING,
    /** The server has no status for the service. */
    UNKNOWN
  }

  /**
   * Returns the status of a service. This method runs on the event loop, so that busy handlers do
   * not delay it. An implementation must answer at once, from what it knows.
   *
   * @param service its name on the wire; empty for the server as a whole
   */
  @RpcMethod(id = 1, idempotent = true, nonBlocking = true, timeout = "1s")
  Status check(String service);
}
