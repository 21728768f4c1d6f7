package io.verbena.cli.doctor;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The service that {@link DeviceTrial} calls. */
@RpcService(name = "trial.v1")
interface Trial {
  /** Returns what it gets. */
  @RpcMethod(id = 1, timeout = "20s")
  byte[] echo(byte[] bytes);

  /** Lets the server's event loop stand still, and so its link, which then reads nothing. */
  @RpcMethod(id = 2, nonBlocking = true, timeout = "20s")
  int standStill(int millis);
}
