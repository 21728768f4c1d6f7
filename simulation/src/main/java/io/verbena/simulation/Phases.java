package io.verbena.simulation;

import io.verbena.core.VerbenaClient;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.simulation.plan.Phase;
import io.verbena.simulation.world.SimHost;

/** Tells the phase that a session is in. */
final class Phases {
  private Phases() {}

  static Phase of(SimSession session, SimHost server) {
    String link = session.session().path().link();
    String why = session.session().path().reason();
    VerbenaClient client = session.client().client();
    boolean bulk = client != null && isBusy(client.bulkStats());
    if (link.equals("rdma")) {
      return bulk ? Phase.RDMA_WITH_BULK : Phase.RDMA;
    }
    if (!link.equals("tcp")) {
      return Phase.NO_LINK;
    }
    if (why.contains("rdma lost")) {
      return bulk ? Phase.RDMA_LOST_WITH_BULK : Phase.RDMA_LOST;
    }
    boolean upgrades = session.client().rdma() != null && server.rdma() != null;
    if (upgrades && (why.contains("not upgraded yet") || why.contains("asked"))) {
      return bulk ? Phase.UPGRADING_WITH_BULK : Phase.UPGRADING;
    }
    return bulk ? Phase.STREAM_WITH_BULK : Phase.STREAM;
  }

  private static boolean isBusy(BulkStats stats) {
    return stats.sending() + stats.receiving() > 0;
  }
}
