package io.verbena.core.contract;

import io.verbena.codec.Compatibility;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log how the two ends' versions of a contract differ: once for each pair of versions
 * in the life of this program, since every session with such a peer finds the same.
 */
final class ContractLog {
  private static final Logger LOG = LoggerFactory.getLogger(ContractLog.class);

  /** Peers could make up versions without end: what comes after these is not said. */
  private static final int MOST_PAIRS = 256;

  private static final Set<Pair> TOLD = ConcurrentHashMap.newKeySet();

  private record Pair(long here, long there) {}

  private ContractLog() {}

  /** Says it, unless it was said before. Safe for any thread. */
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
          "The contract of {} differs from that of {}, and works: {}",
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
