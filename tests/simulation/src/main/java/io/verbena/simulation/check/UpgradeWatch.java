package io.verbena.simulation.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Checks how often one client requests better links. Two requests of a session are at least half a
 * second apart, then one, two, and so on up to half a minute. So {@code n} requests take {@code
 * (2^(n-1) - 1) / 2} seconds. The intervals start again if a link was open for a minute, or if the
 * server has lost the session.
 */
public final class UpgradeWatch {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private final Journal journal;
  private final LongSupplier clock;
  private final String client;
  private final Map<String, List<Long>> asksOf = new HashMap<>();
  private long idle;

  public UpgradeWatch(Journal journal, LongSupplier clock, String client) {
    this.journal = journal;
    this.clock = clock;
    this.client = client;
  }

  /**
   * Records a request of a session.
   *
   * @param sessions the number of the client's sessions with the server, because the requesting one
   *     is unknown. With 0, another process has replaced the server, and nothing is checked
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
            "sessions request better links less and less often",
            "",
            0,
            "%s sent %s %d requests in %.3f s, with %d sessions"
                .formatted(client, server, made, seconds, sessions));
        return;
      }
    }
  }

  /** Returns the most requests of a session in a time, including both ends of it. */
  private static int most(double seconds) {
    return 1 + (int) (Math.log(2 * seconds + 1) / Math.log(2) + 1e-6);
  }

  /**
   * Records the sessions without a peer. A session that has lost its peer gets a new one next.
   *
   * @param now a bit for each session without a peer
   */
  public void idle(long now) {
    if ((now & ~idle) != 0) {
      opened();
    }
    idle = now;
  }

  /** Records a new session of a server with this client. It may be lost before it is noticed. */
  public void opened() {
    asksOf.clear();
  }
}
