package io.verbena.verbs.ext;

/**
 * A change of a queue pair's attributes ({@code ibv_modify_qp}). Attributes that are not set stay
 * as they are. One thread makes it, and the call reads it.
 */
public final class QpChange {
  public static final int STATE = 1;
  public static final int ACCESS_FLAGS = 1 << 3;
  public static final int MIN_RNR_TIMER = 1 << 15;

  private int mask;
  private QpState state = QpState.RESET;
  private int accessFlags;
  private int minRnrTimer;

  /** Returns a change to ERR, which flushes all posted requests. */
  public static QpChange toError() {
    return new QpChange().state(QpState.ERR);
  }

  public QpChange state(QpState newState) {
    state = newState;
    mask |= STATE;
    return this;
  }

  /**
   * Sets the rights of the peer.
   *
   * @param flags the {@link Access} flags that the peer has on this queue pair
   */
  public QpChange accessFlags(int flags) {
    accessFlags = flags;
    mask |= ACCESS_FLAGS;
    return this;
  }

  /**
   * Sets the time that a sender must wait if this side has no receive.
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

  /**
   * Returns the set attributes, as in C: {@link #STATE}, {@link #ACCESS_FLAGS}, {@link
   * #MIN_RNR_TIMER}.
   */
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
