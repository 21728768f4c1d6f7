package io.verbena.rdma.cm;

import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.wire.Token;
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
final class Invitations {
  private static final int MOST_REMEMBERED = 1024;

  private final SecureRandom random = new SecureRandom();
  private final RdmaCounters counters;
  private final Map<Token, Invitation> open = new HashMap<>();
  private final Set<Token> used = new HashSet<>();
  private final Set<Token> expired = new HashSet<>();
  private final ArrayDeque<Token> remembered = new ArrayDeque<>();

  /**
   * What a token stands for.
   *
   * @param passive who waits for the connection
   * @param deadline until when
   */
  record Invitation(PassiveOpening passive, long deadline) {}

  Invitations(RdmaCounters counters) {
    this.counters = counters;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  Token invite(PassiveOpening passive, long deadline) {
    Token token = Token.random(random);
    open.put(token, new Invitation(passive, deadline));
    return token;
  }

  /** Uses a token up; null, and counted, where it is good for nothing. */
  @Nullable Invitation redeem(Token token) {
    Invitation invitation = open.remove(token);
    if (invitation != null) {
      remember(token, used);
    } else if (used.contains(token)) {
      counters.replayedToken();
    } else if (expired.contains(token)) {
      counters.expiredToken();
    } else {
      counters.unknownToken();
    }
    return invitation;
  }

  /** Whether a token that is good for nothing was given out here, as far as that is remembered. */
  boolean wasMade(Token token) {
    return used.contains(token) || expired.contains(token);
  }

  /** Removes and returns the invitations whose time is over. */
  List<Invitation> expire(long now) {
    List<Invitation> over = new ArrayList<>();
    open.entrySet()
        .removeIf(
            entry -> {
              if (now - entry.getValue().deadline() < 0) {
                return false;
              }
              remember(entry.getKey(), expired);
              return over.add(entry.getValue());
            });
    return over;
  }

  /** Removes and returns all. */
  List<Invitation> withdraw() {
    List<Invitation> all = List.copyOf(open.values());
    open.clear();
    return all;
  }

  private void remember(Token token, Set<Token> as) {
    as.add(token);
    remembered.addLast(token);
    if (remembered.size() > MOST_REMEMBERED) {
      Token oldest = remembered.removeFirst();
      used.remove(oldest);
      expired.remove(oldest);
    }
  }
}
