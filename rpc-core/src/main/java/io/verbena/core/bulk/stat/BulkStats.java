package io.verbena.core.bulk.stat;

/**
 * Statistics of the transfers of one client or server since it was made.
 *
 * @param sending outgoing transfers under way
 * @param receiving incoming transfers under way
 * @param completed completed transfers, both directions
 * @param failed failed transfers, both directions
 * @param bytesSent bytes written to links, including repeated ones
 * @param bytesReceived confirmed bytes
 * @param memoryInUse bytes of pooled memory in use now
 * @param memoryKept bytes of unused pooled memory, kept for the next long object
 * @param memoryLimit bytes of pooled memory that may be in use
 * @param quarantined bytes of memory that wait until their writer is fenced off
 * @param resumed how often a transfer continued on another link
 * @param published objects that can be fetched now
 * @param publishedBytes the bytes of these objects
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
