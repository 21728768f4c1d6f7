package io.verbena.spring.autoconfigure;

import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A server of another RPC system whose calls Verbena's server carries: gRPC's. */
interface CarriedServer {
  /** Returns the names of its services. */
  List<String> services();

  /**
   * Starts both servers. May be called again after {@link #stop}.
   *
   * @param settings are applied to Verbena's
   * @throws IllegalStateException if it cannot listen at the address
   */
  VerbenaServer start(String address, Consumer<VerbenaServer.Builder> settings);

  /** Lets calls end within this time, and ends the others. */
  void stop(Duration drainTime);
}
