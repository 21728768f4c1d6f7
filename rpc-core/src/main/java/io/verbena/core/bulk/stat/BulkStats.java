package io.verbena.core.bulk.stat;

/**
 * What the transfers of one client or server did and hold, since it was made.
 *
 * @param sending transfers out that are under way
 * @param receiving transfers in that are under way
 * @param completed transfers that came to their end, both ways
 * @param failed transfers that did not, both ways
 * @param bytesSent bytes written to links, those written again included
 * @param bytesReceived bytes confirmed
 * @param memoryInUse bytes of pooled memory in use now
 * @param memoryKept bytes of pooled memory that nobody uses, kept for the next long object
 * @param memoryLimit bytes of pooled memory that may be in use
 * @param quarantined bytes of memory that wait for the writer to be fenced off it
 * @param resumed how often a transfer went on over another link
 * @param published objects that can be fetched now
 * @param publishedBytes their bytes
 */
public record BulkStats(
    long sending,
    long receiving,
    long completed,
    long failed,
    long bytesSent,
    long bytesReceived,
    long memoryInUse,
    long memoryKept,
    long memoryLimit,
    long quarantined,
    long resumed,
    long published,
    long publishedBytes) {}
