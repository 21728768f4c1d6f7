package io.verbena.core.bulk.stat;

import java.util.List;

/**
 * A published object. Its memory or file is held until it is closed, or until no peer has fetched
 * it for the time of its lease.
 *
 * @param id the number in its reference
 * @param source the source of its bytes
 * @param bytes its length
 * @param transfers the number of transfers that read it now
 * @param peers the peers that fetch it now, each once
 * @param seconds the time since its publication
 * @param leaseSeconds the time until its lease ends if no peer fetches it; the whole lease during a
 *     fetch
 */
public record PublishedStat(
    long id,
    String source,
    long bytes,
    int transfers,
    List<String> peers,
    long seconds,
    long leaseSeconds) {}
