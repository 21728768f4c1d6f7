package io.verbena.simulation;

import io.verbena.api.Session;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.world.SimHost;

/** A session of a run, from the view of its client. */
record SimSession(
    String name, SimHost client, String server, Session session, WorksRpc.Async works) {
  @Override
  public String toString() {
    return name;
  }
}
