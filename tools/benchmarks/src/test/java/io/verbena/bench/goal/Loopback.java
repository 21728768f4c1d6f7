package io.verbena.bench.goal;

import static io.verbena.bench.rival.Rival.GRPC;
import static io.verbena.bench.rival.Rival.GRPC_TUNED;
import static io.verbena.bench.rival.Rival.NETTY;
import static io.verbena.bench.rival.Rival.NIO;
import static io.verbena.bench.rival.Rival.SENDFILE;
import static java.util.Locale.ROOT;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import io.verbena.bench.rival.Rival;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The targets between two processes of one host, over TCP and shared memory. */
public final class Loopback {
  private static final String TCP = "verbena tcp";
  private static final String SHM = "verbena shm";
  private static final int SMALL = 64;
  private static final int DEEP = 256;
  private static final int MEBIBYTE = 1 << 20;

  /** In all objects of a turn together: a second or two. */
  private static final long TURN_BYTES = 2L << 30;

  private static final String LONE_CALL = "64 B, 1 outstanding, ";
  private static final String FILES = "fetch 64 MiB x1, file to file";
  private static final String DEEP_CALL = "64 B, 256 outstanding, ";

  private final Player player;
  private final Duration turn;
  private final Scoreboard board;

  /**
   * Targets that are told by these turns.
   *
   * @param turn how long each is
   */
  public Loopback(Player player, Duration turn, Scoreboard board) {
    this.player = player;
    this.turn = turn;
    this.board = board;
  }

  /** Tells a row for each target. */
  public void measure() throws InterruptedException {
    board.section(LONE_CALL + "p50", this::lone);
    board.section(LONE_CALL + "blocking, p50", this::blocking);
    board.section(DEEP_CALL + "nonBlocking", this::deep);
    board.section(DEEP_CALL + "virtual handler", this::deepOnThreads);
    board.section("put 1 MiB x8", () -> objects(MEBIBYTE, 8, Known.MEBIBYTE));
    board.section("put 64 MiB x2", () -> objects(64 * MEBIBYTE, 2, Known.LARGE));
    board.section(FILES, this::files);
  }

  /** Has the product take turns with those rivals that a row needs, or its rivals' plausibility. */
  private Figures play(Load load, Rival... rivals) throws InterruptedException {
    Set<String> names = new HashSet<>(Set.of(TCP));
    for (Rival rival : rivals) {
      names.add(rival.title());
    }
    return new Figures(player.play(load, names));
  }

  private void lone() throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn);
    Figures async = play(load, NETTY, NIO);
    String doubt = Known.LONE.doubt(async, NETTY);
    String netty = NETTY.title();
    double best = async.p50(netty);
    board.tell(
        Row.atMost(LONE_CALL + "async, p50", Beside.p50(async, TCP, netty), "us", 1.2)
            .doubted(doubt));
    double blocking = play(load.with(Mode.VIRTUAL, Handler.NONBLOCKING)).p50(TCP);
    board.tell(
        Row.atMost(LONE_CALL + "blocking virtual, p50", Beside.of(blocking, netty, best), "us", 1.5)
            .doubted(doubt));
  }

  /**
   * Blocking callers beside those of the bare sockets, and over shared memory beside async ones.
   */
  private void blocking() throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, 1, turn);
    Figures async = new Figures(player.play(load, Set.of(SHM)));
    for (Mode mode : List.of(Mode.PLATFORM, Mode.VIRTUAL)) {
      Load calls = load.with(mode, Handler.NONBLOCKING);
      String name = LONE_CALL + mode.name().toLowerCase(ROOT);
      Figures sockets = play(calls, NIO);
      Beside p50 = Beside.p50(sockets, TCP, NIO.title());
      board.tell(Row.atMost(name + ", p50", p50, "us", 1.25));
      Beside cpu = Beside.cpu(sockets, TCP, NIO.title());
      board.tell(Row.atMost(name + ", CPU of a call", cpu, "us", 1.25));
      Figures shm = new Figures(player.play(calls, Set.of(SHM)));
      Beside shmP50 = Beside.of(shm.p50(SHM), "async", async.p50(SHM));
      board.tell(Row.atMost(name + ", shm, p50", shmP50, "us", 1.5));
      Beside shmCpu = Beside.of(shm.cpu(SHM), "async", async.cpu(SHM));
      board.tell(Row.atMost(name + ", shm, CPU of a call", shmCpu, "us", 1.5));
    }
  }

  private void deep() throws InterruptedException {
    Figures figures = play(Load.of(Kind.CALL, SMALL, DEEP, turn), NETTY, NIO, GRPC_TUNED);
    deepRow("nonBlocking", figures, GRPC_TUNED, 5);
    deepRow("nonBlocking", figures, NETTY, 0.5);
  }

  private void deepOnThreads() throws InterruptedException {
    Load load = Load.of(Kind.CALL, SMALL, DEEP, turn).with(Mode.ASYNC, Handler.VIRTUAL);
    deepRow("virtual handler", play(load, NIO, GRPC_TUNED), GRPC_TUNED, 3);
  }

  private void deepRow(String handler, Figures figures, Rival rival, double limit) {
    board.tell(
        Row.atLeast(DEEP_CALL + handler, Beside.rate(figures, TCP, rival.title()), "/s", limit)
            .doubted(Known.DEEP.doubt(figures, rival)));
  }

  private void objects(int size, int outstanding, Known known) throws InterruptedException {
    Load load = Load.of(Kind.PUT, size, outstanding, turn).counting(TURN_BYTES / size);
    Figures figures = play(load, NIO, NETTY, GRPC, GRPC_TUNED);
    String name = "put " + (size / MEBIBYTE) + " MiB x" + outstanding;
    objectRow(name, figures, faster(figures, NIO, NETTY), 0.9, known);
    objectRow(name, figures, faster(figures, GRPC, GRPC_TUNED), 2, known);
  }

  private static Rival faster(Figures figures, Rival one, Rival other) {
    return figures.rate(one.title()) >= figures.rate(other.title()) ? one : other;
  }

  private void files() throws InterruptedException {
    int size = 64 * MEBIBYTE;
    Load load = Load.of(Kind.FETCH, size, 1, turn).counting(TURN_BYTES / 2 / size);
    Figures figures = play(load.with(Memory.FILES), SENDFILE);
    Beside both = Beside.mebibytes(figures, TCP, SENDFILE.title());
    board.tell(Row.atLeast(FILES, both, "MiB/s", 0.9));
  }

  private void objectRow(String name, Figures figures, Rival rival, double limit, Known known) {
    board.tell(
        Row.atLeast(name, Beside.mebibytes(figures, TCP, rival.title()), "MiB/s", limit)
            .doubted(known.doubt(figures, rival)));
  }
}
