package io.verbena.shm;

import io.verbena.api.settings.Checks;

/**
 * Sizes of shared-memory links. Immutable. The passive end's count for a link; the ends need not
 * agree.
 *
 * @param ringBytes of each of a link's two rings, one for each direction; a power of two from 256
 *     KiB to 16 MiB. A frame has a quarter of it at most, and all bulk under way another, or three
 *     where the ends wait for each other. Bulk is slower by smaller rings than those of {@link
 *     #DEFAULT}, and faster by larger ones only where processors are short.
 */
public record ShmSettings(int ringBytes) {
  /** The system property that says {@link #ringBytes} for a program that does not. */
  public static final String RING_PROPERTY = "verbena.shm.ring-bytes";

  /** The environment variable that counts where the property is not set. */
  public static final String RING_VARIABLE = "VERBENA_SHM_RING_BYTES";

  /** The defaults: 1 MiB. */
  public static final ShmSettings DEFAULT = new ShmSettings(1 << 20);

  /** Checks the value. */
  public ShmSettings {
    Checks.that(isRing(ringBytes), "ringBytes", "a power of two from 256 KiB to 16 MiB", ringBytes);
  }

  /** Returns whether a ring may have so many bytes. */
  static boolean isRing(long bytes) {
    return bytes >= 256 << 10 && bytes <= 16 << 20 && Long.bitCount(bytes) == 1;
  }

  /**
   * Returns the defaults, but for what the deployment says: the system property {@code
   * verbena.shm.ring-bytes} or the environment variable {@code VERBENA_SHM_RING_BYTES}, in bytes.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public static ShmSettings ofProperties() {
    String property = System.getProperty(RING_PROPERTY);
    String said = property == null ? System.getenv(RING_VARIABLE) : property;
    if (said == null || said.isEmpty()) {
      return DEFAULT;
    }
    String name = property == null ? RING_VARIABLE : RING_PROPERTY;
    Checks.that(said.matches("\\d{1,9}"), name, "a number of bytes", said);
    return new ShmSettings(Integer.parseInt(said));
  }
}
