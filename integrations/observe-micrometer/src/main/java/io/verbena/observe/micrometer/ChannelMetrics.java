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
 * The work of a channel and the state of its servers, as meters with the channel's name as tag
 * {@code verbena.channel}. Of all classes here only this one needs {@code rpc-channel} on the class
 * path. Safe for use by any thread.
 *
 * <p>Servers have no meters of their own: one gauge counts them by their state. A registry has one
 * channel of a name, the last that was bound. The meters are removed when this or the channel is
 * closed.
 */
public final class ChannelMetrics implements MeterBinder, AutoCloseable {
  private final BalancedChannel channel;
  private final String name;
  private final IdentityHashMap<Meter, MeterRegistry> made = new IdentityHashMap<>();
  private boolean closed;

  /**
   * Measures a channel.
   *
   * @param name short and constant, such as the name of the service that the channel calls
   */
  public ChannelMetrics(BalancedChannel channel, String name) {
    this.channel = Checks.required("channel", channel);
    this.name = Checks.required("name", name);
    channel.closed().thenRun(this::close);
  }

  /**
   * Registers the meters, until this or the channel is closed. If either is closed already, it does
   * nothing.
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      return;
    }
    total(registry, "calls", "Calls made by a channel's stubs", ChannelStat::calls);
    total(registry, "moves", "Attempts moved to another server", ChannelStat::moves);
    total(registry, "retries", "Attempts made again after a failure", ChannelStat::retries);
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
              .description("Servers of a channel, by their state")
              .tags(tags)
              .register(registry),
          registry);
    }
  }

  /** Gauges keep a reference to the channel; counters alone would not. */
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

  /**
   * Removes the meter of an earlier channel: a registry returns the meter that it already has under
   * a name.
   */
  private static void forget(MeterRegistry registry, String meter, Tags tags) {
    registry.find(meter).tags(tags).meters().forEach(registry::remove);
  }

  /**
   * Removes the meters from their registries. The channel stays open. Closing again does nothing.
   */
  @Override
  public synchronized void close() {
    closed = true;
    made.forEach(ChannelMetrics::removeOwn);
    made.clear();
  }

  /** A meter of the same name may belong to another channel by now. */
  private static void removeOwn(Meter own, MeterRegistry registry) {
    for (Meter known : registry.find(own.getId().getName()).meters()) {
      if (known == own) {
        registry.remove(known);
      }
    }
  }
}
