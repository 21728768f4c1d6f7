package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Names a published object; whoever has it may fetch the object from the end that published it. It
 * travels in calls as any record does.
 *
 * @param id counted by the publishing end; below 0 for an object that has a name
 * @param key cannot be guessed; for an object that has a name: by whoever does not know that
 * @param length the object's length in bytes
 */
public record ObjectRef(long id, long key, long length) {
  /**
   * Returns the reference of an object that is published by a name: the same for as long as an
   * object of that name and length is published, also by a process that was started again. Whoever
   * knows the name and the length can make it: where some peers are not to fetch the object, put
   * into the name what they cannot guess.
   *
   * @param length in bytes; an object of another length has another reference
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

  /** Returns the id and the length: the key does not belong in a log. */
  @Override
  public String toString() {
    String which = id < 0 ? "named object " + Long.toHexString(id) : "object " + id;
    return which + " of " + length + " bytes";
  }
}
