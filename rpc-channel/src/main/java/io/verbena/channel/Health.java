package io.verbena.channel;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/**
 * Says of a server's services whether they are ready. Served as any contract: {@code
 * server.serve(HealthRpc.bind(board))}, with a {@link HealthBoard}.
 */
@RpcService(name = "verbena.health.v1")
public interface Health {
  /** How a service stands. */
  enum Status {
    /** It takes calls. */
    SERVING,
    /** It is there, and is not to be called now. */
    NOT_SERVING,
    /** Nothing is known of it. */
    UNKNOWN
  }

  /**
   * Returns how a service stands. It runs on the event loop, where busy handlers do not hold it up:
   * answer at once, from what is known.
   *
   * @param service its name on the wire; empty for the server as a whole
   */
  @RpcMethod(id = 1, idempotent = true, nonBlocking = true, timeout = "1s")
  Status check(String service);
}
