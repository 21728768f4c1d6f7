package io.verbena.observe.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.api.settings.Checks;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelStat.Standing;
import io.verbena.observe.Conventions;
import java.util.function.ToLongFunction;

/**
 * What a channel does, and how its servers stand, as meters with its name as tag {@code
 * verbena.channel}. Needs {@code rpc-channel} on the class path, as no other class here does. Safe
 * for use by any thread.
 *
 * <p>Servers make no meters: they are counted by how they stand. A registry takes one channel of a
 * name; others of the same name are left out. Totals stay when the channel is closed.
 */
public final class ChannelMetrics implements MeterBinder {
  private final BalancedChannel channel;
  private final String name;

  /**
   * Tells of a channel.
   *
   * @param name short and always the same, such as that of the service that it calls
   */
  public ChannelMetrics(BalancedChannel channel, String name) {
    this.channel = Checks.required("channel", channel);
    this.name = Checks.required("name", name);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
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
      Gauge.builder("verbena.channel.endpoints", () -> channel.stat().endpoints(standing))
          .description("Servers of a channel, by whether calls go there")
          .tag(Conventions.CHANNEL, name)
          .tag(Conventions.ENDPOINT, standing.label())
          .register(registry);
    }
  }

  /** Gauges hold the channel, counters alone would not. */
  private void total(
      MeterRegistry registry, String what, String words, ToLongFunction<ChannelStat> figure) {
    FunctionCounter.builder(
            "verbena.channel." + what, channel, asked -> figure.applyAsLong(asked.stat()))
        .description(words)
        .tag(Conventions.CHANNEL, name)
        .register(registry);
  }
}
