package io.verbena.core.bulk.stat;

import java.util.List;

/**
 * A published object: its memory or file is held until it is closed, or not fetched for its lease.
 *
 * @param id its number, as in its reference
 * @param source where its bytes are
 * @param bytes how long it is
 * @param transfers how many transfers read it now
 * @param peers which peers fetch it now, each once
 * @param seconds since it was published
 * @param leaseSeconds until its lease ends, if nobody fetches it; the whole lease while somebody
 *     does
 */
public record PublishedStat(
    long id,
    String source,
    long bytes,
    int transfers,
    List<String> peers,
    long seconds,
    long leaseSeconds) {}
