package io.verbena.simulation.check;

/**
 * A rule that was broken.
 *
 * @param rule in words
 * @param atNanos when, since the run began
 * @param session whose, or empty
 * @param op the call's or transfer's number; 0: none's
 * @param what happened
 */
public record Violation(String rule, long atNanos, String session, long op, String what) {
  @Override
  public String toString() {
    String where = (session.isEmpty() ? "" : ", " + session) + (op == 0 ? "" : ", op " + op);
    return "%s (at %,.3f ms%s): %s".formatted(rule, atNanos / 1e6, where, what);
  }
}
