package io.verbena.verbs.ext;

/**
 * The attributes of a queue pair now ({@code ibv_query_qp}).
 *
 * @param accessFlags {@link Access} flags granted to the peer
 * @param minRnrTimer code of the wait that this side asks of a sender it has no receive for, 0..31
 *     (0 is 655 ms, 1 is 0.01 ms, 12 is 0.64 ms)
 * @param ackTimeout exponent: 4.096 us times 2 to that; 0 is for ever
 * @param rnrRetries 7 is for ever
 * @param maxReadAtomic READs and atomics it may have outstanding
 * @param maxDestinationReadAtomic READs and atomics that its peer may have outstanding
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
