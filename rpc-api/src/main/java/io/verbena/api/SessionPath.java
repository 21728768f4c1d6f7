package io.verbena.api;

/**
 * The link that carries a session's calls now, and the reason for its choice. To learn whether
 * there is a link, ask {@link Session#state()}.
 *
 * @param link the kind of link, such as {@code "rdma"}, {@code "shm"}, {@code "tcp"} or {@code
 *     "mem"}; {@code "none"} while there is none
 * @param reason for RDMA the device and its address, such as {@code "rxe0 at 10.7.0.1"}; for shared
 *     memory its size and place; for other links the reason why neither is used; without a link the
 *     reason for that
 */
public record SessionPath(String link, String reason) {
  @Override
  public String toString() {
    return link + " (" + reason + ")";
  }
}
