package io.verbena.bench.rival;

/** A rival's other end. */
public interface RivalServer extends AutoCloseable {
  /** Returns the port it listens at. */
  int port();

  @Override
  void close();
}
