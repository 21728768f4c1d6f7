package io.verbena.bench.goal;

import static java.util.Locale.ROOT;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Mode;
import java.time.Duration;
import java.util.Set;

/** The targets of shared memory on a host whose processors others need: it is as good as TCP. */
public final class BusyHost {
  private static final String TCP = "verbena tcp";
  private static final String SHM = "verbena shm";
  private static final int SMALL = 64;

  private final Player player;
  private final Duration turn;
  private final Scoreboard board;

  /**
   * Targets that are told by these turns.
   *
   * @param turn how long each is
   */
  public BusyHost(Player player, Duration turn, Scoreboard board) {
    this.player = player;
    this.turn = turn;
    this.board = board;
  }

  /** Tells a row for each target. */
  public void measure() throws InterruptedException {
    for (Mode mode : Mode.values()) {
      String name = "busy host, 64 B, 1 outstanding, " + mode.name().toLowerCase(ROOT) + ", shm";
      board.section(name, () -> calls(name, mode));
    }
  }

  private void calls(String name, Mode mode) throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn).with(mode, Handler.NONBLOCKING);
    Figures figures = new Figures(player.play(load, Set.of(TCP, SHM)));
    board.tell(Row.atLeast(name, Beside.rate(figures, SHM, TCP), "/s", 1));
    board.tell(Row.atMost(name + ", p90", Beside.p90(figures, SHM, TCP), "us", 1));
    board.tell(Row.atMost(name + ", CPU of a call", Beside.cpu(figures, SHM, TCP), "us", 1));
  }
}
