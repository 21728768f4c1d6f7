package io.verbena.rdma.wire;

/**
 * What one end of a link has posted for the other to send into.
 *
 * @param frameCredits receives for Sends with frames, from 1, from the beginning on
 * @param mostFrameCredits how many there may become; what is beyond {@code frameCredits} is leased
 * @param controlCredits receives for Sends without; see {@link SendHeader}
 * @param slotBytes the longest Send it takes, header included
 * @param features bits of {@link Features}
 */
public record Terms(
    int frameCredits, int mostFrameCredits, int controlCredits, int slotBytes, int features) {}
