package io.verbena.it.machines;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What happens to the servers, one thing after the other, and which calls were under way meanwhile.
 * Safe for any thread.
 */
final class Turns {
  /** The event of a server in one turn. */
  enum Kind {
    QUIET,
    KILL,
    DRAIN
  }

  /** A turn, and the calls that were begun in it and have not ended. */
  private static final class Turn {
    final Kind kind;
    int underWay;

    Turn(Kind kind) {
      this.kind = kind;
    }
  }

  private final List<Turn> turns = new ArrayList<>();
  private int underWay;

  Turns() {
    next(Kind.QUIET);
  }

  /** The next turn begins. */
  synchronized void next(Kind kind) {
    turns.add(new Turn(kind));
  }

  /** A call begins. Returns the number of its turn. */
  synchronized int begin() {
    underWay++;
    turns.getLast().underWay++;
    return turns.size() - 1;
  }

  /** A call of this turn has ended. Returns whether a server was killed meanwhile. */
  synchronized boolean end(int turn) {
    underWay--;
    turns.get(turn).underWay--;
    return turns.subList(turn, turns.size()).stream().anyMatch(each -> each.kind == Kind.KILL);
  }

  synchronized int underWay() {
    return underWay;
  }

  synchronized long count(Kind kind) {
    return turns.stream().filter(turn -> turn.kind == kind).count();
  }

  /** Returns when the calls of all turns before this one have ended. */
  void awaitEarlierCalls() {
    await().atMost(Duration.ofSeconds(30)).until(this::earlierHaveEnded);
  }

  private synchronized boolean earlierHaveEnded() {
    return underWay == turns.getLast().underWay;
  }
}
