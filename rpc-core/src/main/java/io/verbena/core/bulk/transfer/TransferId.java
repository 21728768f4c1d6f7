package io.verbena.core.bulk.transfer;

/**
 * A transfer's number, in the header of its frames:
 *
 * <pre>
 *   63                                   3   2     1   0
 *   | counted by the end that began it   | 0 SINGLE    | 1: client began it |
 *   | number of the call it belongs to   | its kind    | 1: client called   |
 * </pre>
 */
final class TransferId {
  /** Fetched or pushed by itself. */
  static final int SINGLE = 0;

  /** What goes to the landing of a call. */
  static final int ANSWER = 1;

  /** Large values of a call's request. */
  static final int REQUEST_PARTS = 2;

  /** Large values of a call's reply. */
  static final int REPLY_PARTS = 3;

  private static final int NUMBER = 3;
  private static final int KIND = 1;

  private TransferId() {}

  static long of(long number, int kind, boolean byClient) {
    return number << NUMBER | (long) kind << KIND | (byClient ? 1 : 0);
  }

  static long number(long id) {
    return id >>> NUMBER;
  }

  static int kind(long id) {
    return (int) id >> KIND & 3;
  }

  /** Returns whether it belongs to a call, and is not fetched or pushed by itself. */
  static boolean isOfACall(long id) {
    return kind(id) != SINGLE;
  }

  static boolean isAnswer(long id) {
    return kind(id) == ANSWER;
  }

  static boolean isByClient(long id) {
    return (id & 1) != 0;
  }
}
