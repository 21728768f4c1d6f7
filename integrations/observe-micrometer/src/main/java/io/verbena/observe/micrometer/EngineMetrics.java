package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.api.Priority;
import io.verbena.api.SessionState;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.LimitStat;
import io.verbena.core.stat.LimitStat.OfPriority;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stat.Stats;
import io.verbena.observe.Conventions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The state of this process's clients and servers, as meters: sessions and their paths, calls,
 * message slots, bulk memory and transfers. All clients are counted together, and so are all
 * servers, by tag {@code verbena.engine}; so peers add no meters.
 *
 * <p>Reading the meters asks the event loops, at most once a second for all meters. If a loop does
 * not answer, that takes 2 s. The totals of a client or server are gone when it is closed.
 */
public final class EngineMetrics implements MeterBinder {
  private static final String ENGINE = "verbena.engine";

  @Override
  public void bindTo(MeterRegistry registry) {
    Engines engines = new Engines(registry);
    for (String kind : List.of("client", "server")) {
      new OfKind(registry, engines, kind).bind();
    }
  }

  /** The last figures; asked for again when they are a second old. */
  private static final class Engines {
    private static final long FRESH_NANOS = 1_000_000_000;

    private final MeterRegistry registry;
    private @Nullable List<EngineStat> told;
    private long toldAt;

    Engines(MeterRegistry registry) {
      this.registry = registry;
    }

    synchronized List<EngineStat> now() {
      long now = registry.config().clock().monotonicTime();
      List<EngineStat> known = told;
      if (known == null || now - toldAt >= FRESH_NANOS) {
        known = Stats.engines();
        told = known;
        toldAt = now;
      }
      return known;
    }
  }

  /**
   * The meters of all clients, or of all servers. Gauges keep a reference to it; counters alone
   * would not.
   */
  private static final class OfKind {
    private final MeterRegistry registry;
    private final Engines engines;
    private final String kind;

    OfKind(MeterRegistry registry, Engines engines, String kind) {
      this.registry = registry;
      this.engines = engines;
      this.kind = kind;
    }

    void bind() {
      for (SessionState state : SessionState.values()) {
        String name = state.name().toLowerCase(Locale.ROOT);
        gauge(
            "verbena.sessions",
            "Sessions, by their state",
            Tags.of("verbena.state", name),
            engine -> sessions(engine, session -> session.state() == state));
      }
      List<String> paths = new ArrayList<>(Stats.linkKinds());
      paths.add("none");
      for (String path : paths) {
        gauge(
            "verbena.session.paths",
            "Sessions, by the link that carries their calls",
            Tags.of(Conventions.PATH, path),
            engine -> sessions(engine, session -> session.path().startsWith(path + " ")));
      }
      ofSessions("verbena.calls.out", "Calls that have no answer yet", SessionStat::callsOut);
      ofSessions("verbena.calls.in", "Calls of peers that run", SessionStat::callsIn);
      ofSessions(
          "verbena.unacknowledged.bytes",
          "Bytes kept until peers acknowledge them",
          SessionStat::owedBytes);
      gauge("verbena.slots.used", "Message slots in use", Tags.empty(), EngineStat::slotsInUse);
      gauge("verbena.slots.max", "The limit of message slots", Tags.empty(), EngineStat::maxSlots);
      memory("in_use", BulkStats::memoryInUse);
      memory("kept", BulkStats::memoryKept);
      memory("quarantined", BulkStats::quarantined);
      gauge(
          "verbena.bulk.memory.limit.bytes",
          "The limit of pooled memory, in bytes",
          Tags.empty(),
          engine -> engine.bulk().memoryLimit());
      transfers("out", BulkStats::sending, BulkStats::bytesSent);
      transfers("in", BulkStats::receiving, BulkStats::bytesReceived);
      ended("completed", BulkStats::completed);
      ended("failed", BulkStats::failed);
      total(
          "verbena.bulk.resumed",
          "Transfers that continued over another link",
          Tags.empty(),
          engine -> engine.bulk().resumed());
      compressed("messages", "Messages that were compressed", CompressionStat::messages);
      compressed(
          "plain.bytes",
          "Bytes of compressed messages, before compression",
          CompressionStat::plainBytes);
      compressed(
          "bytes", "Bytes of compressed messages, after compression", CompressionStat::bytes);
      if (kind.equals("server")) {
        limit();
      }
    }

    private void compressed(String what, String words, ToLongFunction<CompressionStat> figure) {
      total(
          "verbena.compressed." + what,
          words,
          Tags.empty(),
          engine -> {
            CompressionStat compression = engine.compression();
            return compression == null ? 0 : figure.applyAsLong(compression);
          });
    }

    private void limit() {
      gauge(
          "verbena.limit.calls",
          "The limit of calls that run at once, on servers that have one",
          Tags.empty(),
          engine -> limit(engine, LimitStat::limit));
      gauge(
          "verbena.limit.used",
          "Calls that count against the limit",
          Tags.empty(),
          engine -> limit(engine, LimitStat::inFlight));
      for (Priority one : Priority.values()) {
        shed("verbena.limit.taken", "Calls that servers with a limit took", one, OfPriority::taken);
        shed("verbena.limit.shed", "Calls that these servers refused", one, OfPriority::shed);
      }
    }

    private void shed(String name, String what, Priority which, ToLongFunction<OfPriority> figure) {
      total(
          name,
          what,
          Tags.of("verbena.priority", which.word()),
          engine ->
              limit(
                  engine,
                  limit ->
                      limit.priorities().stream()
                          .filter(one -> one.priority().equals(which.word()))
                          .mapToLong(figure)
                          .sum()));
    }

    private static long limit(EngineStat engine, ToLongFunction<LimitStat> figure) {
      LimitStat limit = engine.limit();
      return limit == null ? 0 : figure.applyAsLong(limit);
    }

    private static long sessions(EngineStat engine, Predicate<SessionStat> which) {
      return engine.sessions().stream().filter(which).count();
    }

    private void ofSessions(String name, String what, ToLongFunction<SessionStat> figure) {
      gauge(name, what, Tags.empty(), engine -> engine.sessions().stream().mapToLong(figure).sum());
    }

    private void memory(String use, ToLongFunction<BulkStats> figure) {
      gauge(
          "verbena.bulk.memory.bytes",
          "Bytes of pooled memory",
          Tags.of("verbena.memory", use),
          engine -> figure.applyAsLong(engine.bulk()));
    }

    private void transfers(
        String direction, ToLongFunction<BulkStats> active, ToLongFunction<BulkStats> bytes) {
      Tags tags = Tags.of("verbena.direction", direction);
      gauge(
          "verbena.bulk.transfers.active",
          "Transfers under way",
          tags,
          engine -> active.applyAsLong(engine.bulk()));
      total(
          "verbena.bulk.bytes",
          "Bytes of large objects moved",
          tags,
          engine -> bytes.applyAsLong(engine.bulk()));
    }

    private void ended(String how, ToLongFunction<BulkStats> figure) {
      total(
          "verbena.bulk.transfers",
          "Transfers that ended",
          Tags.of("verbena.outcome", how),
          engine -> figure.applyAsLong(engine.bulk()));
    }

    private void gauge(String name, String what, Tags tags, ToLongFunction<EngineStat> figure) {
      Gauge.builder(name, () -> sum(figure))
          .description(what)
          .tags(tags.and(ENGINE, kind))
          .register(registry);
    }

    private void total(String name, String what, Tags tags, ToLongFunction<EngineStat> figure) {
      FunctionCounter.builder(name, this, self -> self.sum(figure))
          .description(what)
          .tags(tags.and(ENGINE, kind))
          .register(registry);
    }

    private double sum(ToLongFunction<EngineStat> figure) {
      return engines.now().stream()
          .filter(engine -> engine.name().startsWith(kind))
          .mapToLong(figure)
          .sum();
    }
  }
}
