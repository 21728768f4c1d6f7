package io.verbena.api;

/** The reason for the failure of a call. Its number crosses the wire. */
public enum RpcStatus {
  /** The caller cancelled: it was interrupted, or its future was cancelled. */
  CANCELLED(1),
  /** An argument is malformed, too large or nested too deeply. The same call fails again. */
  INVALID_ARGUMENT(2),
  /** The deadline passed before the call ended. */
  DEADLINE_EXCEEDED(3),
  /** The peer does not serve this service or method. */
  UNIMPLEMENTED(4),
  /**
   * There is no session to the peer: it is down, unreachable, or was lost. Another attempt may
   * succeed.
   */
  UNAVAILABLE(5),
  /**
   * A limit was reached, such as calls in flight, memory, or the size of a result. The message
   * names it.
   */
  RESOURCE_EXHAUSTED(6),
  /**
   * The contracts of the two ends do not match. The message names the type and member, or the
   * constant or subtype that one end does not know.
   */
  INCOMPATIBLE(7),
  /** The peer requires credentials, or refuses those that were given. */
  UNAUTHENTICATED(8),
  /** The peer knows the caller's identity and refuses the call. */
  PERMISSION_DENIED(9),
  /**
   * The handler threw an exception that its contract, or the caller's version of it, does not
   * declare, or an end lacks a class.
   */
  INTERNAL(10),
  /** The peer, or a machine on the way, broke the protocol. */
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

  /**
   * Returns the status for a number from the wire; {@link #INTERNAL} if the number is not known
   * here.
   */
  public static RpcStatus ofCode(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
  }
}
