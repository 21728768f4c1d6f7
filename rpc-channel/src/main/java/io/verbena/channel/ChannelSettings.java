package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a channel.
 *
 * @param authority the host name that certificates must have; empty: the resolver's
 * @param zone the preferred zone; empty: none
 * @param subset the number of servers to have sessions with
 * @param subsetKey chooses them; another key for each client
 * @param hedgeNanos the time without an answer after which an idempotent call is hedged; 0: never
 * @param ejection null: no server is left out
 * @param healthOf the service that servers are asked about; null: they are not asked
 * @param healthEvery the time between two questions to one server
 */
record ChannelSettings(
    ChannelTime time,
    RandomGenerator random,
    Balancer balancer,
    String authority,
    String zone,
    int subset,
    long subsetKey,
    boolean waitForReady,
    Backoff reconnect,
    Retries retries,
    long hedgeNanos,
    @Nullable Ejection ejection,
    @Nullable String healthOf,
    Duration healthEvery) {

  long healthNanos() {
    return NanoClock.nanos(healthEvery);
  }
}
