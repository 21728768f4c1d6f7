package io.verbena.core.link;

/**
 * What a link can do.
 *
 * @param kind {@code "tcp"}, {@code "rdma"} or {@code "mem"}
 * @param detail what tells this link from others of its kind: a device, a cipher suite, or empty
 * @param maxFrameBytes the longest frame it carries
 * @param encrypted whether nobody between the ends can read or change frames
 */
public record LinkCapabilities(String kind, String detail, int maxFrameBytes, boolean encrypted) {}
