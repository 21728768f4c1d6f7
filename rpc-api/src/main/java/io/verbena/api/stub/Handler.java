package io.verbena.api.stub;

/** Invokes the user's method with arguments already decoded, and encodes what it returns. */
@FunctionalInterface
public interface Handler {
  /**
   * Runs the user's method once.
   *
   * @throws Exception whatever the user's method throws undeclared; it is answered as INTERNAL
   */
  void run(Reply reply) throws Exception;
}
