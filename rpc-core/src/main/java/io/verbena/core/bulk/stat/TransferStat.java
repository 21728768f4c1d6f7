package io.verbena.core.bulk.stat;

/**
 * A transfer under way, to show which transfers hold memory.
 *
 * @param object the object
 * @param incoming whether it comes from the peer
 * @param confirmedBytes the bytes that the receiver has confirmed
 * @param totalBytes its length; negative while not known
 * @param seconds the time since its request
 */
public record TransferStat(
    String object, boolean incoming, long confirmedBytes, long totalBytes, long seconds) {}
