package io.verbena.link;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * 128 bits that nobody can guess: the token of an offer, good for one use, or what tells one
 * connection from another. Immutable.
 *
 * @param high the first 64 of them
 * @param low the others
 */
public record Secret(long high, long low) {
  /** The length of its encoding. */
  public static final int BYTES = 16;

  /** Returns a new one. */
  public static Secret random(SecureRandom random) {
    return new Secret(random.nextLong(), random.nextLong());
  }

  /** Reads one from a buffer's position on, which moves. */
  public static Secret read(ByteBuffer in) {
    return new Secret(in.getLong(), in.getLong());
  }

  /** Writes it to a buffer's position, which moves. */
  public void write(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** Compares in a time that says nothing of where the two differ. */
  public boolean matches(Secret other) {
    return ((high ^ other.high) | (low ^ other.low)) == 0;
  }

  /** It is a secret: not for logs. */
  @Override
  public String toString() {
    return "a secret";
  }
}
