package io.verbena.verbs.ext;

/**
 * The present attributes of a queue pair ({@code ibv_query_qp}).
 *
 * @param accessFlags {@link Access} flags granted to the peer
 * @param minRnrTimer the code of the time that a sender must wait if this side has no receive,
 *     0..31 (0 is 655 ms, 1 is 0.01 ms, 12 is 0.64 ms)
 * @param ackTimeout an exponent: the time is 4.096 us times 2 to this power; 0 means for ever
 * @param rnrRetries 7 means for ever
 * @param maxReadAtomic the READs and atomics that it may have outstanding
 * @param maxDestinationReadAtomic the READs and atomics that its peer may have outstanding
 */
public record QpAttributes(
    QpState state,
    int peerQpNumber,
    int accessFlags,
    int minRnrTimer,
    int ackTimeout,
    int retries,
    int rnrRetries,
    int maxReadAtomic,
    int maxDestinationReadAtomic,
    int pathMtu,
    int maxSendRequests,
    int maxReceiveRequests,
    int maxSendSges,
    int maxReceiveSges,
    int maxInlineData) {}
