package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a channel was built with.
 *
 * @param authority what certificates are compared with; empty: what the resolver tells
 * @param zone whose servers are preferred; empty: none
 * @param subset to how many servers it has sessions
 * @param subsetKey which ones: another for each client
 * @param hedgeNanos after so long an idempotent call without an answer is made once more beside; 0:
 *     never
 * @param ejection null: nobody is left out
 * @param healthOf the service that servers are asked about; null: they are not asked
 * @param healthEvery how often
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
