package io.verbena.codec;

import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;

/**
 * The large values of one message, which travel beside it as bulk bytes. The message contains the
 * position of each value, and a table at its end describes the values:
 *
 * <pre>
 *   the message …  -1, index …  | table | length of the table (4 bytes)
 * </pre>
 *
 * <p>It belongs to the owner of the message.
 */
public interface LargeValues {
  /** Stands in place of a value's length. The value's index in the table follows. */
  int OUTSIDE = -1;

  /** The result of {@link #take} for a value that must stay in the message. */
  int NOT_TAKEN = -1;

  /**
   * Accepts a value to travel beside the message.
   *
   * @param array whether the reader needs an array on its heap
   * @return its index in the table, or {@link #NOT_TAKEN} if there is no room for it
   */
  int take(MemorySegment value, boolean array);

  /** Returns the remedy for a value that was not accepted. */
  String cure();

  /** Writes the table of the values. */
  void writeTable(WireOut out);

  /** Releases the values, even if they were never sent. */
  void close();
}
