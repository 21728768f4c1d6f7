package io.verbena.bench.load;

/** A system that runs loads. For use by one thread at a time. */
public interface Contestant extends AutoCloseable {
  /** Returns the name in tables of figures. */
  String name();

  /** Returns whether the contestant supports a load. */
  boolean takes(Load load);

  /**
   * Opens a connection.
   *
   * @throws AbsentException if the contestant is not available here
   */
  Caller connect(Load load) throws AbsentException;

  @Override
  void close();
}
