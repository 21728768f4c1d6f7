package io.verbena.link;

/**
 * What a link can do.
 *
 * @param kind {@code "tcp"}, {@code "rdma"}, {@code "shm"} or {@code "mem"}
 * @param detail what tells this link from others of its kind: a device, a cipher suite, or empty
 * @param maxFrameBytes the longest frame it carries
 * @param encrypted whether nobody between the ends can read or change frames
 */
public record LinkCapabilities(String kind, String detail, int maxFrameBytes, boolean encrypted) {
  /**
   * Checks that the link carries a frame of this length.
   *
   * @throws IllegalArgumentException if it is longer than {@link #maxFrameBytes} or empty
   */
  public void requireFrame(int length) {
    if (length < 1 || length > maxFrameBytes) {
      throw new IllegalArgumentException(
          "a frame on this link has 1 to "
              + maxFrameBytes
              + " bytes, not "
              + length
              + "; split the message, or raise the link's maxFrameBytes");
    }
  }
}
