package io.verbena.simulation.check;

import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.fabric.DeviceBehaviour;
import io.verbena.verbs.fabric.RequestWatcher;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks the requests to a host's device. Ends that keep to the rules use only memory that is
 * registered and open to them. They send only if a receive is posted.
 *
 * @param anywhere what the devices of the run do otherwise than most
 * @param emptyRefused counts the empty WRITEs that devices refused for their keys. The ends of such
 *     devices are told of a refusal, and take it for a broken rule
 */
public record DeviceWatch(
    Journal journal, String host, Set<DeviceBehaviour> anywhere, AtomicLong emptyRefused)
    implements RequestWatcher {
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
    } else if (status == WcStatus.GENERAL_ERR) {
      return; // a fault of the plan
    } else if (!isFoundOut(opcode)) {
      journal.broken(
          "devices use memory that is registered, and open to them",
          "",
          0,
          what + ": " + WcStatus.describe(status));
    } else if (opcode == SendOpcode.RDMA_WRITE) {
      emptyRefused.incrementAndGet();
    }
  }

  /** Returns whether a request may have found out what a device does otherwise than it reports. */
  private boolean isFoundOut(int opcode) {
    return switch (opcode) {
      case SendOpcode.SEND -> anywhere.contains(DeviceBehaviour.IGNORES_INLINE);
      case SendOpcode.RDMA_WRITE -> anywhere.contains(DeviceBehaviour.CHECKS_KEYS_OF_EMPTY_WRITES);
      default -> false;
    };
  }
}
