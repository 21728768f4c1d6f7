package io.verbena.api.bulk;

/**
 * Names a published object; whoever has it may fetch the object from the end that published it. It
 * travels in calls as any record does.
 *
 * @param id counted by the publishing end
 * @param key cannot be guessed
 * @param length the object's length in bytes
 */
public record ObjectRef(long id, long key, long length) {
  /** Returns the id and the length: the key does not belong in a log. */
  @Override
  public String toString() {
    return "object " + id + " of " + length + " bytes";
  }
}
