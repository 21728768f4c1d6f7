package io.verbena.api.region;

/**
 * Names memory that one end of a session has exposed to the other. It travels in calls as any
 * record does, and is of use in that session alone.
 *
 * @param id counted by the owner
 * @param key cannot be guessed
 * @param length in bytes
 * @param access what may be done with it: {@link Regions#READ}, {@link Regions#WRITE}, {@link
 *     Regions#ATOMIC}. The owner checks for himself
 */
public record RegionRef(long id, long key, long length, int access) {
  /** Returns the id and the length: the key does not belong in a log. */
  @Override
  public String toString() {
    return "region " + id + " of " + length + " bytes";
  }
}
