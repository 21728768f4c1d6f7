package io.verbena.verbs.ext;

/**
 * A change to a queue pair's attributes ({@code ibv_modify_qp}): only what was set here is changed.
 * Made by one thread, read by the call.
 */
public final class QpChange {
  public static final int STATE = 1;
  public static final int ACCESS_FLAGS = 1 << 3;
  public static final int MIN_RNR_TIMER = 1 << 15;

  private int mask;
  private QpState state = QpState.RESET;
  private int accessFlags;
  private int minRnrTimer;

  /** To ERR: everything posted is flushed. */
  public static QpChange toError() {
    return new QpChange().state(QpState.ERR);
  }

  public QpChange state(QpState newState) {
    state = newState;
    mask |= STATE;
    return this;
  }

  /**
   * Grants the peer exactly these rights.
   *
   * @param flags {@link Access} flags that the peer may use on this queue pair
   */
  public QpChange accessFlags(int flags) {
    accessFlags = flags;
    mask |= ACCESS_FLAGS;
    return this;
  }

  /**
   * Sets the wait that this side asks of a sender it has no receive for.
   *
   * @param code 0..31, see {@link QpAttributes#minRnrTimer()}
   */
  public QpChange minRnrTimer(int code) {
    if (code < 0 || code > 31) {
      throw new IllegalArgumentException("RNR timer code " + code + " is not within 0..31");
    }
    minRnrTimer = code;
    mask |= MIN_RNR_TIMER;
    return this;
  }

  /** Which are set: {@link #STATE}, {@link #ACCESS_FLAGS}, {@link #MIN_RNR_TIMER}, as in C. */
  public int mask() {
    return mask;
  }

  public QpState state() {
    return state;
  }

  public int accessFlags() {
    return accessFlags;
  }

  public int minRnrTimer() {
    return minRnrTimer;
  }
}
