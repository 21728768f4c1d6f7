package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.observe.Conventions;
import io.verbena.observe.Outcome;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of the calls that one end makes or serves. A meter is looked up once for each outcome
 * of a method's calls. Safe for use by any thread.
 */
final class CallMeters {
  /** Micrometer's own value for a tag that does not apply. */
  private static final String NONE = "none";

  /** About the time of a call in memory. */
  private static final Duration SHORTEST = Duration.ofNanos(10_000);

  private static final Duration LONGEST = Duration.ofSeconds(30);

  /**
   * The number of calls under way, by registry, and by meter and method. A registry has one gauge
   * of a name and tags, whoever registers it, so the calls of two clients are counted together.
   */
  private static final Map<MeterRegistry, Map<String, AtomicInteger>> ACTIVE =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final MeterRegistry registry;
  private final Clock clock;
  private final Kind kind;
  private final Map<MethodDescriptor<?>, OfMethod> methods = new ConcurrentHashMap<>();

  /** The end that calls are measured at. */
  enum Kind {
    CLIENT(
        Conventions.CLIENT_DURATION,
        "measured by callers",
        "verbena.client.calls.active",
        "Calls made that have not ended"),
    SERVER(
        Conventions.SERVER_DURATION,
        "measured at handlers",
        "verbena.server.calls.active",
        "Calls whose handlers run");

    private final String duration;
    private final String whose;
    private final String active;
    private final String which;

    Kind(String duration, String whose, String active, String which) {
      this.duration = duration;
      this.whose = whose;
      this.active = active;
      this.which = which;
    }
  }

  CallMeters(MeterRegistry registry, Kind kind) {
    this.registry = registry;
    this.clock = registry.config().clock();
    this.kind = kind;
  }

  /** Begins to measure a call of a method. */
  Running begin(MethodDescriptor<?> method) {
    OfMethod meters = methods.computeIfAbsent(method, OfMethod::new);
    meters.active.incrementAndGet();
    return new Running(meters, clock.monotonicTime());
  }

  /** A call under way. */
  final class Running {
    private final OfMethod meters;
    private final long began;

    private Running(OfMethod meters, long began) {
      this.meters = meters;
      this.began = began;
    }

    /** Records the call. To be called once. */
    void end(Session session, Outcome outcome) {
      meters.active.decrementAndGet();
      meters
          .timer(new Ending(session.path().link(), outcome))
          .record(clock.monotonicTime() - began, TimeUnit.NANOSECONDS);
    }
  }

  private record Ending(String path, Outcome outcome) {}

  private final class OfMethod {
    private final String name;
    private final AtomicInteger active;
    private final Map<Ending, Timer> timers = new ConcurrentHashMap<>();

    OfMethod(MethodDescriptor<?> method) {
      this.name = method.fullName();
      this.active =
          ACTIVE
              .computeIfAbsent(registry, first -> new ConcurrentHashMap<>())
              .computeIfAbsent(kind.active + " " + name, first -> new AtomicInteger());
      Gauge.builder(kind.active, active, AtomicInteger::get)
          .description(kind.which)
          .tag(Conventions.METHOD, name)
          .strongReference(true)
          .register(registry);
    }

    Timer timer(Ending ending) {
      Timer known = timers.get(ending);
      return known == null ? timers.computeIfAbsent(ending, this::made) : known;
    }

    private Timer made(Ending ending) {
      Outcome outcome = ending.outcome;
      Timer.Builder timer =
          Timer.builder(kind.duration)
              .description("The time of calls, " + kind.whose)
              .tag(Conventions.SYSTEM, Conventions.VERBENA)
              .tag(Conventions.METHOD, name)
              .tag(Conventions.STATUS, outcome.status())
              .tag(Conventions.ERROR_TYPE, Objects.requireNonNullElse(outcome.errorType(), NONE))
              .tag(Conventions.PATH, ending.path)
              .publishPercentileHistogram()
              .minimumExpectedValue(SHORTEST)
              .maximumExpectedValue(LONGEST);
      if (kind == Kind.CLIENT) { // only the caller can be sure of it
        timer.tag(Conventions.EXECUTION, outcome.execution().name());
      }
      return timer.register(registry);
    }
  }
}
