package io.verbena.fuzz;

import java.util.List;

/** Something that takes bytes of a peer's, and what has to hold of it whatever the bytes are. */
public interface Target {
  /**
   * Takes an input. What may come of it is caught in here; whatever is thrown is a finding.
   *
   * @param meter has been started; to be started again behind what is not the input's doing
   */
  void take(byte[] input, Meter meter) throws Exception;

  /** Returns inputs to start from: what real peers say. */
  List<byte[]> seeds() throws Exception;

  /** Returns the most bytes that an input of this length may make this process allocate. */
  long mostBytes(int inputLength);
}
