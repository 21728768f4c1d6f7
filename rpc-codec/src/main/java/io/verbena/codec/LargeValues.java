package io.verbena.codec;

import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;

/**
 * The large values of one message, which travel beside it as bulk. In the message stands where each
 * belongs; what they are stands in a table at the message's end:
 *
 * <pre>
 *   the message …  -1, index …  | table | length of the table (4 bytes)
 * </pre>
 *
 * <p>Belongs to whoever holds the message.
 */
public interface LargeValues {
  /** Stands in place of a value's length: what follows is its index in the table. */
  int OUTSIDE = -1;

  /** What {@link #take} returns when a value has to stay in the message. */
  int NOT_TAKEN = -1;

  /**
   * Takes a value out of its message.
   *
   * @param array whether the reader wants an array, on its heap
   * @return its index in the table, or {@link #NOT_TAKEN} if there is no room for it
   */
  int take(MemorySegment value, boolean array);

  /** Returns what to do about a value that was not taken just now. */
  String cure();

  /** Writes what the values are. */
  void writeTable(WireOut out);

  /** They are not needed any more, be it that they were never sent. */
  void close();
}
