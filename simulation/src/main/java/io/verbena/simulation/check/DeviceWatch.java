package io.verbena.simulation.check;

import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.fabric.RequestWatcher;

/**
 * Checks the requests to a host's device. Ends that keep to the rules use only memory that is
 * registered and open to them. They send only if a receive is posted.
 */
public record DeviceWatch(Journal journal, String host) implements RequestWatcher {
  @Override
  public void carriedOut(int opcode, long bytes) {
    if (opcode == SendOpcode.RDMA_READ) {
      journal.tally().add("read by a device");
    }
  }

  @Override
  public void refused(int opcode, int status) {
    String what = SendOpcode.name(opcode) + " by " + host;
    if (status == WcStatus.RNR_RETRY_EXC_ERR) {
      journal.broken("a receive is posted for each message", "", 0, what);
    } else if (status != WcStatus.GENERAL_ERR) { // which is a fault of the plan

      journal.broken(
          "devices use memory that is registered, and open to them",
          "",
          0,
          what + ": " + WcStatus.describe(status));
    }
  }
}
