package io.verbena.api;

/** The reason for the failure of a call. Its number crosses the wire. */
public enum RpcStatus {
  /** The caller cancelled: it was interrupted, or its future was cancelled. */
  CANCELLED(1, Again.IN_VAIN, Fault.CALLERS),
  /** An argument is malformed, too large or nested too deeply. The same call fails again. */
  INVALID_ARGUMENT(2, Again.IN_VAIN, Fault.CALLERS),
  /** The deadline passed before the call ended. */
  DEADLINE_EXCEEDED(3, Again.MAY_HELP, Fault.SERVERS),
  /** The peer does not serve this service or method. */
  UNIMPLEMENTED(4, Again.IN_VAIN, Fault.SERVERS),
  /**
   * There is no session to the peer: it is down, unreachable, or was lost. Another attempt may
   * succeed.
   */
  UNAVAILABLE(5, Again.MAY_HELP, Fault.SERVERS),
  /**
   * A limit was reached, such as calls in flight, memory, or the size of a result. The message
   * names it.
   */
  RESOURCE_EXHAUSTED(6, Again.MAY_HELP, Fault.CALLERS),
  /**
   * The contracts of the two ends do not match. The message names the type and member, or the
   * constant or subtype that one end does not know.
   */
  INCOMPATIBLE(7, Again.IN_VAIN, Fault.CALLERS),
  /** The peer requires credentials, or refuses those that were given. */
  UNAUTHENTICATED(8, Again.IN_VAIN, Fault.CALLERS),
  /** The peer knows the caller's identity and refuses the call. */
  PERMISSION_DENIED(9, Again.IN_VAIN, Fault.CALLERS),
  /**
   * The handler threw an exception that its contract, or the caller's version of it, does not
   * declare, or an end lacks a class.
   */
  INTERNAL(10, Again.IN_VAIN, Fault.SERVERS),
  /** The peer, or a machine on the way, broke the protocol. */
  PROTOCOL_ERROR(11, Again.IN_VAIN, Fault.SERVERS);

  private static final RpcStatus[] BY_CODE = new RpcStatus[values().length + 1];

  static {
    for (RpcStatus status : values()) {
      BY_CODE[status.code] = status;
    }
  }

  /** Whether the same call may succeed later. */
  private enum Again {
    MAY_HELP,
    IN_VAIN
  }

  private enum Fault {
    SERVERS,
    CALLERS
  }

  private final int code;
  private final Again again;
  private final Fault fault;

  RpcStatus(int code, Again again, Fault fault) {
    this.code = code;
    this.again = again;
    this.fault = fault;
  }

  /**
   * Returns whether the same call may succeed later. Whether it is also safe to repeat it is said
   * by {@link RpcException#mayRetry}.
   */
  public boolean isTransient() {
    return again == Again.MAY_HELP;
  }

  /**
   * Returns whether the end that serves the call is at fault, or what it depends on, rather than
   * the caller or its rate of calls.
   */
  public boolean isServerFault() {
    return fault == Fault.SERVERS;
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
