package io.verbena.observe.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.verbena.api.settings.Checks;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelStat.Standing;
import io.verbena.observe.Conventions;

/**
 * The work of a channel and the state of its servers, as asynchronous instruments with the
 * channel's name as attribute {@code verbena.channel}. Of all classes here only this one needs
 * {@code rpc-channel} on the class path. Safe for use by any thread.
 */
public final class ChannelTelemetry implements AutoCloseable {
  private static final AttributeKey<String> ENDPOINT = AttributeKey.stringKey(Conventions.ENDPOINT);

  private final Attributes attributes;
  private final ObservableLongMeasurement calls;
  private final ObservableLongMeasurement moves;
  private final ObservableLongMeasurement retries;
  private final ObservableLongMeasurement hedges;
  private final ObservableLongMeasurement refused;
  private final ObservableLongMeasurement unserved;
  private final ObservableLongMeasurement endpoints;
  private final BatchCallback callback;

  /**
   * Measures a channel from now on, until this or the channel is closed.
   *
   * @param name short and constant, such as the name of the service that the channel calls
   */
  public ChannelTelemetry(OpenTelemetry telemetry, BalancedChannel channel, String name) {
    Checks.required("channel", channel);
    this.attributes = Attributes.of(AttributeKey.stringKey(Conventions.CHANNEL), name);
    Meter meter = telemetry.getMeter(Instruments.SCOPE);
    this.calls = total(meter, "calls", "{call}", "Calls made by a channel's stubs");
    this.moves = total(meter, "moves", "{attempt}", "Attempts moved to another server");
    this.retries = total(meter, "retries", "{attempt}", "Attempts made again after a failure");
    this.hedges = total(meter, "hedges", "{attempt}", "Attempts made beside a slow one");
    this.refused =
        total(meter, "refused", "{attempt}", "Retries and hedges that the budget refused");
    this.unserved = total(meter, "unserved", "{call}", "Calls that no server took");
    this.endpoints =
        meter
            .gaugeBuilder("verbena.channel.endpoints")
            .ofLongs()
            .setUnit("{endpoint}")
            .setDescription("Servers of a channel, by their state")
            .buildObserver();
    this.callback =
        meter.batchCallback(
            () -> tell(channel.stat()),
            calls,
            moves,
            retries,
            hedges,
            refused,
            unserved,
            endpoints);
    channel.closed().thenRun(this::close);
  }

  private static ObservableLongMeasurement total(
      Meter meter, String what, String unit, String words) {
    return meter
        .counterBuilder("verbena.channel." + what)
        .setUnit(unit)
        .setDescription(words)
        .buildObserver();
  }

  private void tell(ChannelStat now) {
    calls.record(now.calls(), attributes);
    moves.record(now.moves(), attributes);
    retries.record(now.retries(), attributes);
    hedges.record(now.hedges(), attributes);
    refused.record(now.refusedByBudget(), attributes);
    unserved.record(now.unserved(), attributes);
    for (Standing standing : Standing.values()) {
      endpoints.record(
          now.endpoints(standing), attributes.toBuilder().put(ENDPOINT, standing.label()).build());
    }
  }

  /** Removes the instruments. The channel stays open. */
  @Override
  public void close() {
    callback.close();
  }
}
