package io.verbena.bench.rival;

/** The server of a rival. */
public interface RivalServer extends AutoCloseable {
  int port();

  @Override
  void close();
}
