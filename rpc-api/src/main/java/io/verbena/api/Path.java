package io.verbena.api;

/**
 * Which link carries a session's calls now, and why that one.
 *
 * @param link the kind of link: {@code "rdma"}, {@code "tcp"}, {@code "mem"}, or {@code "none"}
 *     while the session has no link
 * @param reason the device for RDMA, such as {@code "rxe0"}; else why it is not RDMA
 */
public record Path(String link, String reason) {
  @Override
  public String toString() {
    return link + " (" + reason + ")";
  }
}
