package io.verbena.core;

/** Which path a session's calls may take. */
public enum PathPolicy {
  /**
   * RDMA as soon as both ends can, or shared memory between processes of one host; TCP until then
   * and whenever not. The default.
   */
  PREFER_RDMA,
  /**
   * RDMA only: calls wait for it, and fail with UNAVAILABLE and the reason where it cannot be had;
   * a server's calls to its client also when that has not asked for RDMA within the connect
   * time-out. An end that serves refuses calls that come by another path with UNAVAILABLE,
   * unexecuted.
   */
  REQUIRE_RDMA,
  /** TCP only, whatever the host has. */
  TCP_ONLY
}
