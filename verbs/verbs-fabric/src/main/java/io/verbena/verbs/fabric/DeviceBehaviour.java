package io.verbena.verbs.fabric;

/**
 * What a device does otherwise than most. Behaviours are independent of one another; a {@link
 * Personality} has those of one driver.
 */
public enum DeviceBehaviour {
  /** Grants less inline than is requested, in place of refusing it. */
  LOWERS_INLINE,

  /** Grants a quarter more inline than is requested. */
  GRANTS_MORE_INLINE,

  /**
   * Grants any inline length that is requested and then ignores the flag: it reads the pieces by
   * their local keys, when it carries the request out.
   */
  IGNORES_INLINE,

  /** A WRITE without immediate and without pieces carries the piece that its list points to. */
  SENDS_FIRST_PIECE,

  /** Refuses an empty WRITE of its peer whose key is not valid. */
  CHECKS_KEYS_OF_EMPTY_WRITES,

  /** Accepts send requests that are posted in ERR, and never completes them. */
  DROPS_LATE_REQUESTS,

  /** Refuses send requests in ERR with EIO or EINVAL. */
  REFUSES_LATE_REQUESTS,

  /** Refuses receives in ERR with EINVAL. */
  REFUSES_LATE_RECEIVES,

  /** The library makes flush completions when it is polled; no event announces them. */
  FLUSHES_ON_POLL,

  /** Flushes one request after the other, a tenth of a second for each, as where it is busy. */
  FLUSHES_SLOWLY,

  /** Requests that are posted when the queue pair enters ERR never complete. */
  NEVER_FLUSHES,

  /** Accepts an ACK timeout and keeps its own, which is long. */
  IGNORES_ACK_TIMEOUT,

  /** Accepts an RNR timer and keeps its own. */
  IGNORES_RNR_TIMER,

  /** Refuses to modify a queue pair without a state. */
  NEEDS_STATE_TO_MODIFY,

  /** Makes windows, and refuses to post their binds. */
  REFUSES_BINDS,

  /** A bind takes effect at its completion, much later, or before a later request with a fence. */
  BINDS_LATE,

  /**
   * A request may complete before the peer's device has its bytes, as over TCP. Bytes that are
   * under way are lost when the queue pair enters ERR.
   */
  COMPLETES_BEFORE_DELIVERY,

  /**
   * Resets a connection on which the end that accepted sends before it has received (RFC 5044,
   * 7.1.2).
   */
  LISTENS_FIRST,

  /** Reports shared receive queues and never makes one. */
  REFUSES_SHARED_RECEIVES,

  /**
   * Reports much that concerns nobody whenever a queue pair enters ERR: ports that are active
   * before they fail, other subnets, work queues; and twice that the last shared receive was taken.
   */
  REPORTS_ODD_EVENTS,

  /** Makes no queue pairs for the connection manager. */
  REFUSES_QUEUE_PAIRS,
}
