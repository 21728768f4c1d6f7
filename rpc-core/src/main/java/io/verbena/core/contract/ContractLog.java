package io.verbena.core.contract;

import io.verbena.codec.Compatibility;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the differences between two versions of a contract, once for each pair of versions in the
 * life of this program, because every session with such a peer finds the same ones.
 */
final class ContractLog {
  private static final Logger LOG = LoggerFactory.getLogger(ContractLog.class);

  /** The most pairs that are logged, because peers could make up versions without end. */
  private static final int MOST_PAIRS = 256;

  private static final Set<Pair> TOLD = ConcurrentHashMap.newKeySet();

  private record Pair(long here, long there) {}

  private ContractLog() {}

  /** Logs the differences, unless they were logged before. Safe for use by any thread. */
  static void tell(
      String service, String peer, long hashHere, long hashThere, Compatibility found) {
    boolean harmless = found.misfits().isEmpty() && found.missing().isEmpty();
    if ((harmless && found.notes().isEmpty())
        || TOLD.size() >= MOST_PAIRS
        || !TOLD.add(new Pair(hashHere, hashThere))) {
      return;
    }
    if (!found.notes().isEmpty()) {
      LOG.info(
          "The contract of {} differs from that of {}, but is compatible: {}",
          service,
          peer,
          String.join("; ", found.notes()));
    }
    if (!harmless) {
      LOG.warn(
          "The contract of {} differs from that of {}, and calls of these methods fail: {}",
          service,
          peer,
          String.join("; ", found.problems()));
    }
  }
}
