package io.verbena.core;

/** The paths that a session's calls may take. */
public enum PathPolicy {
  /**
   * RDMA as soon as both ends have it, or shared memory between processes of one host. TCP
   * otherwise, and until then. The default.
   */
  PREFER_RDMA,
  /**
   * RDMA only. Calls wait for it, and fail with UNAVAILABLE and the reason if it is not available.
   * A server's calls to its client fail, too, if the client has not requested RDMA within the
   * connect timeout. Calls that arrive over another path are refused with UNAVAILABLE,
   * NOT_EXECUTED.
   */
  REQUIRE_RDMA,
  /** TCP only, even if RDMA or shared memory is available. */
  TCP_ONLY
}
