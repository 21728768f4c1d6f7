package io.verbena.bench.abuse;

import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.LoadLoop;
import io.verbena.bench.load.Watcher;
import io.verbena.bench.run.Subprocess;
import io.verbena.bench.usage.Held;
import io.verbena.bench.verbena.Idling;
import io.verbena.bench.verbena.Route;
import io.verbena.bench.verbena.VerbenaContestant;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.abuse.Abuse;
import io.verbena.testkit.abuse.Abuser.Got;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Measures the calls of healthy clients, in this process, by turns without and with an abuse of
 * their server, which has a process of its own, as the abusers have. For one thread.
 */
public final class AbuseMeter {
  private static final Duration LONGEST_WARMUP = Duration.ofSeconds(1);
  private static final int WARMUPS = 4;

  /** Abusers are in effect; what they have begun with, as opening sessions, is over by then. */
  private static final long SETTLE_MILLIS = 700;

  private static final long BACK_MILLIS = 20_000;
  private static final long LOOK_MILLIS = 100;

  /**
   * What the server may have beside the memory that its settings bound: its code, its threads,
   * message slots (40 MiB) and sockets' buffers.
   */
  private static final int BESIDE_MEBIBYTES = 192;

  private static final long BUDGET =
      (long) (VictimProgram.HEAP_MEBIBYTES + VictimProgram.BULK_MEBIBYTES + BESIDE_MEBIBYTES) << 20;

  private static final int BITS = 3;

  private final Load load;
  private final int rounds;

  /**
   * A meter.
   *
   * @param load what healthy clients do in a turn
   * @param rounds how many turns there are without, and as many with
   */
  public AbuseMeter(Load load, int rounds) {
    this.load = load;
    this.rounds = rounds;
  }

  /**
   * Measures one abuse.
   *
   * @throws IllegalStateException if a call of the healthy clients failed
   */
  AbuseRow measure(Abuse abuse, int count) throws IOException, InterruptedException {
    List<String> flags = List.of("-Xmx" + VictimProgram.HEAP_MEBIBYTES + "m");
    try (Subprocess server = Subprocess.start(flags, VictimProgram.class)) {
      String address = server.line();
      try (VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
          VerbenaContestant healthy =
              new VerbenaContestant(Route.TCP, address, Idling.AS_IT_COMES, false)) {
        VictimControl control = VictimControlRpc.client(client.connect(address));
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < load.connections(); i++) {
          callers.add(healthy.connect(load));
        }
        boolean isLong = load.duration().compareTo(LONGEST_WARMUP) > 0;
        Duration warmup = isLong ? LONGEST_WARMUP : load.duration();
        for (int i = 0; i < WARMUPS; i++) {
          LoadLoop.run(load.lasting(warmup), callers, Watcher.NONE);
        }
        return measure(abuse, count, address, control, callers);
      } catch (AbsentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private AbuseRow measure(
      Abuse abuse, int count, String address, VictimControl control, List<Caller> callers)
      throws IOException, InterruptedException {
    int colon = address.lastIndexOf(':');
    int port = Integer.parseInt(address.substring(colon + 1));
    Histogram before = new Histogram(BITS);
    Histogram during = new Histogram(BITS);
    Got got = new Got(0, 0, 0, 0, "");
    Held atFirst = control.held();
    control.forgetPeak();
    for (int i = 0; i < rounds; i++) {
      before.add(LoadLoop.run(load, callers, Watcher.NONE).nanos());
      try (Abusers abusers = Abusers.start(abuse, count, address.substring(0, colon), port)) {
        Thread.sleep(SETTLE_MILLIS);
        during.add(LoadLoop.run(load, callers, Watcher.NONE).nanos());
        got = got.plus(abusers.end());
      }
    }
    String left = left(control, atFirst);
    return new AbuseRow(
        "%,d x %s".formatted(count, abuse.title()),
        before,
        during,
        control.held().peakBytes(),
        BUDGET,
        left,
        got);
  }

  /** Waits until what the abusers had is given back; returns what is not, in words. */
  private static String left(VictimControl control, Held atFirst) throws InterruptedException {
    String left = "";
    for (long waited = 0; waited < BACK_MILLIS; waited += LOOK_MILLIS) {
      Held now = control.held();
      List<String> more = new ArrayList<>();
      addMore(more, "sessions", atFirst.sessions(), now.sessions());
      addMore(more, "slots", atFirst.slots(), now.slots());
      addMore(more, "bytes of bulk memory", atFirst.bulkBytes(), now.bulkBytes());
      left = String.join(", ", more);
      if (left.isEmpty()) {
        return left;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return left;
  }

  private static void addMore(List<String> more, String what, long before, long now) {
    if (now > before) {
      more.add("%,d %s".formatted(now - before, what));
    }
  }
}
