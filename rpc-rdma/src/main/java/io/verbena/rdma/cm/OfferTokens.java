package io.verbena.rdma.cm;

import io.verbena.link.Secret;
import io.verbena.rdma.RdmaCounters;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that were offered and not yet used. A token is valid once, for a limited time. Used
 * and expired tokens are remembered for a while, to distinguish them from unknown ones.
 */
final class OfferTokens {
  private static final int MOST_REMEMBERED = 1024;

  private final SecureRandom random = new SecureRandom();
  private final RdmaCounters counters;
  private final Map<Secret, PassiveConnect> open = new HashMap<>();
  private final Set<Secret> used = new HashSet<>();
  private final Set<Secret> expired = new HashSet<>();
  private final ArrayDeque<Secret> remembered = new ArrayDeque<>();

  OfferTokens(RdmaCounters counters) {
    this.counters = counters;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Makes a token with which a peer may connect. */
  Secret offer(PassiveConnect connect) {
    Secret token = Secret.random(random);
    open.put(token, connect);
    return token;
  }

  /** Uses a token up. Returns null for an invalid one, and counts it. */
  @Nullable PassiveConnect redeem(Secret token) {
    PassiveConnect offered = open.remove(token);
    if (offered != null) {
      remember(token, used);
    } else if (used.contains(token)) {
      counters.replayedTokens.increment();
    } else if (expired.contains(token)) {
      counters.expiredTokens.increment();
    } else {
      counters.unknownTokens.increment();
    }
    return offered;
  }

  /** Returns whether an invalid token was offered here, as far as that is remembered. */
  boolean wasMade(Secret token) {
    return used.contains(token) || expired.contains(token);
  }

  /** Removes and returns the offers that have expired. */
  List<PassiveConnect> expire(long now) {
    List<PassiveConnect> over = new ArrayList<>();
    open.entrySet()
        .removeIf(
            entry -> {
              if (!entry.getValue().isLate(now)) {
                return false;
              }
              remember(entry.getKey(), expired);
              return over.add(entry.getValue());
            });
    return over;
  }

  /** Removes and returns all offers. */
  List<PassiveConnect> withdraw() {
    List<PassiveConnect> all = List.copyOf(open.values());
    open.clear();
    return all;
  }

  private void remember(Secret token, Set<Secret> as) {
    as.add(token);
    remembered.addLast(token);
    if (remembered.size() > MOST_REMEMBERED) {
      Secret oldest = remembered.removeFirst();
      used.remove(oldest);
      expired.remove(oldest);
    }
  }
}
