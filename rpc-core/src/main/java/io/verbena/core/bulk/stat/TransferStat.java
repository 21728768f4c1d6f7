package io.verbena.core.bulk.stat;

/**
 * A transfer under way, for whoever asks what holds memory.
 *
 * @param object what is moved
 * @param incoming whether it comes from the peer
 * @param confirmedBytes how much of it the receiver has confirmed
 * @param totalBytes how long it is; negative while not known
 * @param seconds since it was asked for
 */
public record TransferStat(
    String object, boolean incoming, long confirmedBytes, long totalBytes, long seconds) {}
