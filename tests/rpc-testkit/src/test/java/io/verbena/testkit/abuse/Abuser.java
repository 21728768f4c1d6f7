package io.verbena.testkit.abuse;

/** Somebody who misuses a server, until closed. Safe for use by any thread. */
public interface Abuser extends AutoCloseable {
  /** Returns whether it does what it means to do, and not still begins to. */
  boolean isInEffect();

  /** Returns what it has got so far: the counts that tell how the server took it. */
  Got got();

  @Override
  void close();

  /**
   * What an abuser has got.
   *
   * @param connections made
   * @param thrownOut of them, by the server
   * @param answered calls that returned
   * @param refused calls that failed
   * @param failure why the last call failed; empty for none
   */
  record Got(long connections, long thrownOut, long answered, long refused, String failure) {
    /** Returns the sum of two abusers' counts. */
    public Got plus(Got other) {
      return new Got(
          connections + other.connections,
          thrownOut + other.thrownOut,
          answered + other.answered,
          refused + other.refused,
          failure.isEmpty() ? other.failure : failure);
    }
  }
}
