package io.verbena.bench.rival;

/** The server of a rival. */
public interface RivalServer extends AutoCloseable {
  /** Returns the server's port. */
  int port();

  @Override
  void close();
}
