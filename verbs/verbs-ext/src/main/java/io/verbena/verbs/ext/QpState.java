package io.verbena.verbs.ext;

/** States of a queue pair ({@code enum ibv_qp_state}). */
public enum QpState {
  RESET(0),
  INIT(1),
  RTR(2),
  RTS(3),
  SQD(4),
  SQE(5),
  ERR(6);

  private final int value;

  QpState(int value) {
    this.value = value;
  }

  /**
   * Returns the state with this value. Throws {@link IllegalArgumentException} if there is none.
   */
  public static QpState of(int value) {
    for (QpState state : values()) {
      if (state.value == value) {
        return state;
      }
    }
    throw new IllegalArgumentException("No queue pair state has the value " + value);
  }

  /** Returns the value that verbs calls and {@code IbvQP.getState()} use. */
  public int value() {
    return value;
  }
}
