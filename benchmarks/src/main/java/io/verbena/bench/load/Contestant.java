package io.verbena.bench.load;

/** Something that can be put under a load. For one thread at a time. */
public interface Contestant extends AutoCloseable {
  /** Returns what the figures are listed under. */
  String name();

  /** Returns whether it can make calls of this kind, in this way. */
  boolean takes(Load load);

  /**
   * Opens a connection.
   *
   * @throws AbsentException if there is none to be had here
   */
  Caller connect(Load load) throws AbsentException;

  @Override
  void close();
}
