package io.verbena.api.stub;

/** Calls the user's method with decoded arguments, and encodes its result. */
@FunctionalInterface
public interface Handler {
  /**
   * Runs the user's method once.
   *
   * @throws Exception an undeclared exception of the user's method; it is answered as INTERNAL
   */
  void run(Reply reply) throws Exception;
}
