package io.verbena.simulation.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Looks at how often one client asks for better links. Between two asks of a session there is half
 * a second at least, then one, two, and so on up to half a minute: {@code n} of them take {@code
 * (2^(n-1) - 1) / 2} seconds. That begins again where a link has stood for a minute, or the server
 * has lost the session.
 */
public final class UpgradeWatch {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private final Journal journal;
  private final LongSupplier clock;
  private final String client;
  private final Map<String, List<Long>> asksOf = new HashMap<>();
  private long idle;

  /** Of a client that has not asked yet. */
  public UpgradeWatch(Journal journal, LongSupplier clock, String client) {
    this.journal = journal;
    this.clock = clock;
    this.client = client;
  }

  /**
   * A session asks.
   *
   * @param server which it asks
   * @param sessions how many the client has with that server: which of them asks is not told; 0: it
   *     is another process now, and nothing is judged
   */
  public void asks(String server, int sessions) {
    long now = clock.getAsLong();
    List<Long> asks = asksOf.computeIfAbsent(server, none -> new ArrayList<>());
    asks.removeIf(at -> now - at >= MINUTE);
    asks.add(now);
    for (int i = 0; i < asks.size(); i++) {
      double seconds = (double) (now - asks.get(i)) / SECOND;
      int made = asks.size() - i;
      if (sessions > 0 && made > sessions * most(seconds)) {
        journal.broken(
            "sessions ask less and less often for better links",
            "",
            0,
            "%s asked %s %d times in %.3f s, with %d sessions"
                .formatted(client, server, made, seconds, sessions));
        return;
      }
    }
  }

  /** Returns how often a session may ask in so much time, the ends of which count too. */
  private static int most(double seconds) {
    return 1 + (int) (Math.log(2 * seconds + 1) / Math.log(2) + 1e-6);
  }

  /**
   * Looks which sessions have no peer: where one has lost it, the next is another.
   *
   * @param now a bit for each such session
   */
  public void idle(long now) {
    if ((now & ~idle) != 0) {
      opened();
    }
    idle = now;
  }

  /** A server has a new session with this client, which may have lost it before this is seen. */
  public void opened() {
    asksOf.clear();
  }
}
