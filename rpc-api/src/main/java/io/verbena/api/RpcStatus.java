package io.verbena.api;

/** Why a call failed. The number is what crosses the wire. */
public enum RpcStatus {
  /** The caller cancelled: it was interrupted, or its future was cancelled. */
  CANCELLED(1),
  /** An argument is malformed, too large or too deep; the same call fails again. */
  INVALID_ARGUMENT(2),
  /** The deadline passed first. */
  DEADLINE_EXCEEDED(3),
  /** The peer does not serve this service or method. */
  UNIMPLEMENTED(4),
  /** No session to the peer: it is down, unreachable, or was lost. Another attempt may succeed. */
  UNAVAILABLE(5),
  /** A limit was reached: calls in flight, memory, the size of a result. The message names it. */
  RESOURCE_EXHAUSTED(6),
  /**
   * The two ends' contracts do not fit. The message names the type and member, or the constant or
   * subtype that one end does not know.
   */
  INCOMPATIBLE(7),
  /** The peer wants credentials, or refuses those given. */
  UNAUTHENTICATED(8),
  /** The peer knows who calls, and refuses. */
  PERMISSION_DENIED(9),
  /**
   * The handler threw something that its contract, or the caller's version of it, does not declare.
   */
  INTERNAL(10),
  /** The peer, or something between, broke the protocol. */
  PROTOCOL_ERROR(11);

  private static final RpcStatus[] BY_CODE = new RpcStatus[12];

  static {
    for (RpcStatus status : values()) {
      BY_CODE[status.code] = status;
    }
  }

  private final int code;

  RpcStatus(int code) {
    this.code = code;
  }

  /** Returns the number that stands for this status on the wire. */
  public int code() {
    return code;
  }

  /** Returns the status of a number from the wire; {@link #INTERNAL} for one not known here. */
  public static RpcStatus ofCode(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
  }
}
