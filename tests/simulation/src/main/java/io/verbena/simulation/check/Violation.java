package io.verbena.simulation.check;

/**
 * The violation of a rule.
 *
 * @param rule the rule as text
 * @param atNanos the time since the start of the run
 * @param session the session, or empty
 * @param op the number of the call or transfer; 0 for none
 * @param what the event that broke the rule
 */
public record Violation(String rule, long atNanos, String session, long op, String what) {
  @Override
  public String toString() {
    String where = (session.isEmpty() ? "" : ", " + session) + (op == 0 ? "" : ", op " + op);
    return "%s (at %,.3f ms%s): %s".formatted(rule, atNanos / 1e6, where, what);
  }
}
