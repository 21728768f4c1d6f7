package io.verbena.simulation.check;

import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.fabric.RequestWatcher;

/**
 * Looks at what a host's device is asked to do. Ends that keep to the rules never use memory that
 * is not registered, or not open to them, and never send where no receive is posted.
 *
 * @param host whose device
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
      journal.broken("a receive is posted for whatever is sent", "", 0, what);
    } else if (status != WcStatus.GENERAL_ERR) { // which is a fault of the plan's

      journal.broken(
          "devices use memory that is registered, and open to them",
          "",
          0,
          what + ": " + WcStatus.describe(status));
    }
  }
}
