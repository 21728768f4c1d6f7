package io.verbena.rdma.link;

import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaCounters;
import io.verbena.rdma.RdmaSettings;

/**
 * What all links of one loop share.
 *
 * @param clock the only clock that links look at
 * @param settings this end's sizes and depths
 * @param counters where links count
 * @param ready links that want to be stepped
 */
public record LinkContext(
    NanoClock clock, RdmaSettings settings, RdmaCounters counters, ReadyLinks ready) {}
