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
 * The tokens that were given out and not yet used. A token is good once and for a limited time;
 * those that were used or came too late are remembered for a while, so that they can be told from a
 * stranger's.
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

  /** Gives out a token by which a peer may connect. */
  Secret offer(PassiveConnect connect) {
    Secret token = Secret.random(random);
    open.put(token, connect);
    return token;
  }

  /** Uses a token up; null, and counted, where it is good for nothing. */
  @Nullable PassiveConnect redeem(Secret token) {
    PassiveConnect offered = open.remove(token);
    if (offered != null) {
      remember(token, used);
    } else if (used.contains(token)) {
      counters.replayedToken();
    } else if (expired.contains(token)) {
      counters.expiredToken();
    } else {
      counters.unknownToken();
    }
    return offered;
  }

  /** Whether a token that is good for nothing was given out here, as far as that is remembered. */
  boolean wasMade(Secret token) {
    return used.contains(token) || expired.contains(token);
  }

  /** Removes and returns the offers whose time is over. */
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

  /** Removes and returns all. */
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
