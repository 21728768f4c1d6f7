package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Priority;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.stat.LimitStat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Places at a server that is simulated, on a clock of its own: so these figures are exact. */
class AdmissionTest {
  private static final double SERVICE_MILLIS = 5;
  private static final double SECOND = 1e9;

  /** The outcome of the calls in the second half of a phase. */
  private record Outcome(double goodput, Map<Priority, Double> p99, Map<Priority, Double> taken) {
    double criticalP99() {
      return of(p99, Priority.CRITICAL);
    }

    double taken(Priority priority) {
      return of(taken, priority);
    }
  }

  private static <T> T of(Map<Priority, T> all, Priority one) {
    return Objects.requireNonNull(all.get(one));
  }

  /** A server that works on so many calls at once, first come, first served. */
  private static final class Simulated {
    private record Running(double ends, Admission.Place place, double began, Priority priority) {}

    private record Queued(Admission.Place place, double began, Priority priority) {}

    private final Random random = new Random(7);
    private final PriorityQueue<Running> running =
        new PriorityQueue<>(Comparator.comparingDouble(Running::ends));
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private final int workers;
    private final boolean varies;
    private final Admission admission;
    private double now;
    private double slowness = 1;
    private boolean backgroundAlone;

    Simulated(ConcurrencyLimit limit, int workers, boolean varies) {
      this.workers = workers;
      this.varies = varies;
      this.admission = new Admission(limit, () -> (long) now);
    }

    double capacity() {
      return workers / (SERVICE_MILLIS * 1e6 * slowness);
    }

    LimitStat stat() {
      return admission.stat();
    }

    private double exponential() {
      return -Math.log(1 - random.nextDouble());
    }

    /** Offers so many times its capacity, for some seconds; one call in ten of it is critical. */
    Outcome offer(double load, double seconds) {
      double ends = now + seconds * SECOND;
      double counted = now + seconds * SECOND / 2;
      Map<Priority, List<Double>> took = new EnumMap<>(Priority.class);
      Map<Priority, double[]> offered = new EnumMap<>(Priority.class);
      for (Priority one : Priority.values()) {
        took.put(one, new ArrayList<>());
        offered.put(one, new double[2]);
      }
      double arrives = now + exponential() / (load * capacity());
      while (Math.min(arrives, next()) < ends) {
        if (arrives <= next()) {
          now = arrives;
          arrives = now + exponential() / (load * capacity());
          int draw = random.nextInt(10);
          Priority priority =
              backgroundAlone || draw > 5
                  ? Priority.BACKGROUND
                  : draw == 0 ? Priority.CRITICAL : Priority.NORMAL;
          Admission.Place place = admission.enter(priority);
          if (place != null) {
            queue.add(new Queued(place, now, priority));
          }
          if (now > counted) {
            of(offered, priority)[place == null ? 1 : 0]++;
          }
        } else {
          Running done = running.remove();
          now = done.ends;
          done.place.run();
          if (now > counted) {
            of(took, done.priority).add((now - done.began) / 1e6);
          }
        }
        work();
      }
      now = ends;
      Map<Priority, Double> p99 = new EnumMap<>(Priority.class);
      Map<Priority, Double> taken = new EnumMap<>(Priority.class);
      double all = 0;
      for (Priority one : Priority.values()) {
        List<Double> times = of(took, one);
        times.sort(null);
        all += times.size();
        p99.put(one, times.isEmpty() ? 0 : times.get((int) (times.size() * 0.99)));
        double[] of = of(offered, one);
        taken.put(one, of[0] / Math.max(1, of[0] + of[1]));
      }
      return new Outcome(all / (ends - counted) / capacity(), p99, taken);
    }

    private double next() {
      return running.isEmpty() ? Double.MAX_VALUE : running.element().ends;
    }

    private void work() {
      while (running.size() < workers && !queue.isEmpty()) {
        Queued one = queue.remove();
        double takes = SERVICE_MILLIS * 1e6 * slowness * (varies ? exponential() : 1);
        running.add(new Running(now + takes, one.place, one.began, one.priority));
      }
    }
  }

  @Test
  void underTenTimesItsLoadAServerDoesItsMostAndCriticalCallsAreAsQuick() {
    for (int workers : new int[] {4, 32}) {
      for (boolean varies : new boolean[] {false, true}) {
        Simulated server = new Simulated(ConcurrencyLimit.DEFAULT, workers, varies);
        server.offer(0.5, 5);
        Outcome atCapacity = server.offer(1, 10);
        double peak = Math.max(atCapacity.goodput, server.offer(2, 10).goodput);
        Outcome overloaded = server.offer(10, 10);
        String which = workers + " workers, " + (varies ? "calls that vary" : "equal calls");
        assertThat(overloaded.goodput).as(which).isGreaterThan(0.9 * peak);
        assertThat(overloaded.criticalP99()).as(which).isLessThan(2 * atCapacity.criticalP99());
      }
    }
  }

  @Test
  void theLowestPriorityIsShedFirst() {
    Simulated server = new Simulated(ConcurrencyLimit.DEFAULT, 16, true);
    server.offer(1, 20);
    Outcome overloaded = server.offer(4, 40); // critical calls are four tenths of what it can do
    assertThat(overloaded.taken(Priority.CRITICAL)).isGreaterThan(0.97);
    assertThat(overloaded.taken(Priority.NORMAL)).isBetween(0.1, 0.5);
    assertThat(overloaded.taken(Priority.BACKGROUND)).isLessThan(0.05);
    assertThat(server.stat().priorities())
        .extracting(LimitStat.OfPriority::priority)
        .containsExactly("critical", "normal", "background");
  }

  @Test
  void aLimitStaysWhereItIsHoweverLongAnOverloadLasts() {
    Simulated server = new Simulated(ConcurrencyLimit.DEFAULT, 16, true);
    server.offer(10, 20);
    int early = server.stat().limit();
    Outcome late = server.offer(10, 60);
    assertThat(server.stat().limit()).isBetween(early / 2, 2 * early);
    assertThat(late.goodput).isGreaterThan(0.95);
  }

  @Test
  void backgroundCallsAloneHaveAllThatTheServerCanDo() {
    Simulated server = new Simulated(ConcurrencyLimit.DEFAULT, 16, false);
    server.backgroundAlone = true;
    server.offer(1, 10);
    Outcome overloaded = server.offer(10, 20);
    assertThat(overloaded.goodput).isGreaterThan(0.9);
    assertThat(of(overloaded.p99, Priority.BACKGROUND)).isLessThan(4 * SERVICE_MILLIS);
  }

  @Test
  void aLimitThatIsFarTooHighComesDownUnderLoad() {
    ConcurrencyLimit high = ConcurrencyLimit.DEFAULT.withBounds(4, 5_000).withInitial(500);
    Simulated server = new Simulated(high, 4, false);
    server.offer(10, 30);
    assertThat(server.stat().limit()).isLessThan(20);
  }

  @Test
  void aServerThatGetsSlowerIsNotStrangled() {
    Simulated server = new Simulated(ConcurrencyLimit.DEFAULT, 16, true);
    server.offer(2, 30);
    server.slowness = 4;
    assertThat(server.offer(2, 30).goodput).isGreaterThan(0.9);
    server.slowness = 0.5;
    assertThat(server.offer(2, 30).goodput).isGreaterThan(0.9);
  }

  @Test
  void aLimitKeepsItsBounds() {
    ConcurrencyLimit bounded = ConcurrencyLimit.DEFAULT.withBounds(8, 24);
    Simulated small = new Simulated(bounded, 1, true);
    small.offer(10, 30);
    assertThat(small.stat().limit()).isBetween(8, 24);
    Simulated large = new Simulated(bounded, 50, true);
    large.offer(10, 10);
    assertThat(large.stat().limit()).isIn(24, 12); // the half of it in a probe
  }

  @Test
  void whatIsOverLeavesItsPlaceAndGivesItsMemoryOnce() {
    Admission admission = new Admission(ConcurrencyLimit.DEFAULT, () -> 0);
    List<String> given = new ArrayList<>();
    Admission.Place place = Objects.requireNonNull(admission.enter(Priority.NORMAL));
    assertThat(place.with(() -> given.add("memory"))).isSameAs(place);
    assertThat(admission.stat().inFlight()).isOne();
    place.pause();
    place.pause();
    assertThat(admission.stat().inFlight()).isZero();
    place.resume();
    assertThat(admission.stat().inFlight()).isOne();
    place.run();
    place.run();
    assertThat(admission.stat().inFlight()).isZero();
    assertThat(given).containsExactly("memory");
  }

  @Test
  void callsThatWaitForOthersHaveNoPlaces() {
    Admission admission = new Admission(ConcurrencyLimit.DEFAULT.withExempt("shop/await"), () -> 0);
    assertThat(admission.limits(method("shop", "buy", false, false, false))).isTrue();
    assertThat(admission.limits(method("shop", "await", false, false, false))).isFalse();
    assertThat(admission.limits(method("shop", "tell", true, false, false))).isFalse();
    assertThat(admission.limits(method("shop", "peek", false, true, false))).isFalse();
    assertThat(admission.limits(method("shop", "watch", false, false, true))).isFalse();
    assertThat(admission.limits(method("verbena.health.v1", "x", false, false, false))).isFalse();
  }

  private static MethodDescriptor<String> method(
      String service, String name, boolean oneway, boolean nonBlocking, boolean streaming) {
    return new MethodDescriptor<>(
        service, 1, name, false, oneway, nonBlocking, 0, in -> in.readString(), null, streaming);
  }
}
