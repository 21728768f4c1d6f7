package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A reference to a published object. Every peer that has it may fetch the object from the end that
 * published it. It travels in calls as any record does.
 *
 * @param id assigned by the publishing end; negative for an object published under a name
 * @param key a number that cannot be guessed. For an object published under a name, a peer that
 *     does not know the name cannot guess it
 * @param length the object's length in bytes
 */
public record ObjectRef(long id, long key, long length) {
  /**
   * Returns the reference of an object that is published under a name. It depends on the name and
   * the length alone, so a restarted process publishes the object with the same reference. Every
   * peer that knows the name and the length can make the reference. To keep peers from fetching the
   * object, choose a name that they cannot guess.
   *
   * @param length of the object, in bytes
   */
  public static ObjectRef named(String name, long length) {
    Checks.required("name", name);
    Checks.between("length", length, 0, Long.MAX_VALUE);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      ByteBuffer sum = ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)));
      return new ObjectRef(sum.getLong() | Long.MIN_VALUE, sum.getLong() ^ length, length);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }

  /** Returns the id and the length, without the key, which does not belong in a log. */
  @Override
  public String toString() {
    String which = id < 0 ? "named object " + Long.toHexString(id) : "object " + id;
    return which + " of " + length + " bytes";
  }
}
