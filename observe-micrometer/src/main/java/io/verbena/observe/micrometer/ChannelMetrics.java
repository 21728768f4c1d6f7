package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.api.settings.Checks;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelStat.Standing;
import io.verbena.observe.Conventions;
import java.util.IdentityHashMap;
import java.util.function.ToLongFunction;

/**
 * What a channel does, and how its servers stand, as meters with its name as tag {@code
 * verbena.channel}. Needs {@code rpc-channel} on the class path, as no other class here does. Safe
 * for use by any thread.
 *
 * <p>Servers make no meters: they are counted by how they stand. A registry has one channel of a
 * name, the last that was bound. The meters go when this or the channel is closed.
 */
public final class ChannelMetrics implements MeterBinder, AutoCloseable {
  private final BalancedChannel channel;
  private final String name;
  private final IdentityHashMap<Meter, MeterRegistry> made = new IdentityHashMap<>();
  private boolean closed;

  /**
   * Tells of a channel.
   *
   * @param name short and always the same, such as that of the service that it calls
   */
  public ChannelMetrics(BalancedChannel channel, String name) {
    this.channel = Checks.required("channel", channel);
    this.name = Checks.required("name", name);
    channel.closed().thenRun(this::close);
  }

  /** Tells a registry, until this or the channel is closed; of one that is closed it does not. */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      return;
    }
    total(registry, "calls", "Calls made by a channel's stubs", ChannelStat::calls);
    total(registry, "moves", "Attempts moved to another server", ChannelStat::moves);
    total(registry, "retries", "Attempts made again behind a failure", ChannelStat::retries);
    total(registry, "hedges", "Attempts made beside a slow one", ChannelStat::hedges);
    total(
        registry,
        "refused",
        "Retries and hedges that the budget refused",
        ChannelStat::refusedByBudget);
    total(registry, "unserved", "Calls that no server took", ChannelStat::unserved);
    for (Standing standing : Standing.values()) {
      String meter = "verbena.channel.endpoints";
      Tags tags = Tags.of(Conventions.CHANNEL, name, Conventions.ENDPOINT, standing.label());
      forget(registry, meter, tags);
      made.put(
          Gauge.builder(meter, () -> channel.stat().endpoints(standing))
              .description("Servers of a channel, by whether calls go there")
              .tags(tags)
              .register(registry),
          registry);
    }
  }

  /** Gauges hold the channel, counters alone would not. */
  private void total(
      MeterRegistry registry, String what, String words, ToLongFunction<ChannelStat> figure) {
    String meter = "verbena.channel." + what;
    Tags tags = Tags.of(Conventions.CHANNEL, name);
    forget(registry, meter, tags);
    made.put(
        FunctionCounter.builder(meter, channel, asked -> figure.applyAsLong(asked.stat()))
            .description(words)
            .tags(tags)
            .register(registry),
        registry);
  }

  /** A registry gives back the meter that it has of a name: what another channel's told. */
  private static void forget(MeterRegistry registry, String meter, Tags tags) {
    registry.find(meter).tags(tags).meters().forEach(registry::remove);
  }

  /** Takes the meters out of their registries. Leaves the channel as it is; again does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    made.forEach(ChannelMetrics::removeOwn);
    made.clear();
  }

  /** One of the same name may be another channel's by now. */
  private static void removeOwn(Meter own, MeterRegistry registry) {
    for (Meter known : registry.find(own.getId().getName()).meters()) {
      if (known == own) {
        registry.remove(known);
      }
    }
  }
}
