package io.verbena.api.region;

/**
 * A reference to a region that one end of a session has exposed to the other. It travels in calls
 * as any record does, and is valid in that session alone.
 *
 * @param id assigned by the owner
 * @param key a number that cannot be guessed
 * @param length of the region, in bytes
 * @param access the rights of the peer, any of {@link Regions#READ}, {@link Regions#WRITE} and
 *     {@link Regions#ATOMIC}. The owner checks them in any case
 */
public record RegionRef(long id, long key, long length, int access) {
  /** Returns the id and the length, without the key, which does not belong in a log. */
  @Override
  public String toString() {
    return "region " + id + " of " + length + " bytes";
  }
}
