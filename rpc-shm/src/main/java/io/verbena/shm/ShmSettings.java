package io.verbena.shm;

import io.verbena.api.settings.Checks;

/**
 * Sizes of shared-memory links. Immutable. For each link the settings of the passive end apply; the
 * ends may differ.
 *
 * @param ringBytes the bytes of each of a link's two rings, one for each direction; a power of two
 *     from 256 KiB to 16 MiB. A frame may use a quarter of a ring. Bulk under way may use another
 *     quarter, or three if processors are scarce. Rings smaller than in {@link #DEFAULT} slow bulk
 *     down. Larger ones speed it up only if processors are scarce
 */
public record ShmSettings(int ringBytes) {
  /** The system property for {@link #ringBytes}. */
  public static final String RING_PROPERTY = "verbena.shm.ring-bytes";

  /** The environment variable that is used if the property is not set. */
  public static final String RING_VARIABLE = "VERBENA_SHM_RING_BYTES";

  /** The defaults: 1 MiB. */
  public static final ShmSettings DEFAULT = new ShmSettings(1 << 20);

  /** Checks the value. */
  public ShmSettings {
    Checks.that(isRing(ringBytes), "ringBytes", "a power of two from 256 KiB to 16 MiB", ringBytes);
  }

  /** Returns whether this is a valid ring size. */
  static boolean isRing(long bytes) {
    return bytes >= 256 << 10 && bytes <= 16 << 20 && Long.bitCount(bytes) == 1;
  }

  /**
   * Returns the defaults with the deployment's settings: the system property {@code
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
