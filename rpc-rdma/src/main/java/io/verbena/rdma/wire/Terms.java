package io.verbena.rdma.wire;

/**
 * The receives that one end of a link has posted for the other.
 *
 * @param frameCredits receives for Sends with frames, from the beginning; at least 1
 * @param mostFrameCredits the largest number of them; those beyond {@code frameCredits} are leased
 * @param controlCredits receives for other Sends; see {@link SendHeader}
 * @param slotBytes the length limit of a Send, with its header
 * @param features bits of {@link Features}
 */
public record Terms(
    int frameCredits, int mostFrameCredits, int controlCredits, int slotBytes, int features) {}
