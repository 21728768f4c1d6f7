package io.verbena.api;

/**
 * Which link carries a session's calls now, and why that one. Whether there is one, {@link
 * Session#state()} says.
 *
 * @param link the kind of link: {@code "rdma"}, {@code "shm"}, {@code "tcp"} or {@code "mem"}; for
 *     people {@code "none"} while there is none
 * @param reason for RDMA the device and its address, such as {@code "rxe0 at 10.7.0.1"}, for shared
 *     memory its size and place; else why it is neither, or why there is no link
 */
public record SessionPath(String link, String reason) {
  @Override
  public String toString() {
    return link + " (" + reason + ")";
  }
}
