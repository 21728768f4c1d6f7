package io.verbena.link;

/**
 * The capabilities of a link. Immutable.
 *
 * @param kind {@code "tcp"}, {@code "rdma"}, {@code "shm"} or {@code "mem"}
 * @param detail the device, the cipher suite or another detail of this link; may be empty
 * @param maxFrameBytes the length of the longest frame that it carries, in bytes
 * @param encrypted whether frames are protected from reading and changes on their way
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
