package io.verbena.shm;

import io.verbena.api.settings.Checks;
import org.jspecify.annotations.Nullable;

/**
 * Sizes of shared-memory links. Immutable; start from {@link #DEFAULT}. For each link the settings
 * of the passive end apply; the ends may differ.
 */
public final class ShmSettings {
  /** The system property for {@link #ringBytes}. */
  public static final String RING_PROPERTY = "verbena.shm.ring-bytes";

  /** The environment variable that is used if the property is not set. */
  public static final String RING_VARIABLE = "VERBENA_SHM_RING_BYTES";

  /** The defaults: 1 MiB. */
  public static final ShmSettings DEFAULT = new ShmSettings(new Values(1 << 20));

  private final Values values;

  private record Values(int ringBytes) {
    private Values {
      Checks.that(
          isRing(ringBytes), "ringBytes", "a power of two from 256 KiB to 16 MiB", ringBytes);
    }
  }

  private ShmSettings(Values values) {
    this.values = values;
  }

  /**
   * Returns the bytes of each of a link's two rings, one for each direction; a power of two from
   * 256 KiB to 16 MiB. A frame may use a quarter of a ring. Bulk under way may use another quarter,
   * or three if processors are scarce. Rings smaller than in {@link #DEFAULT} slow bulk down.
   * Larger ones speed it up only if processors are scarce.
   */
  public int ringBytes() {
    return values.ringBytes;
  }

  /** Returns these settings with rings of another size. */
  public ShmSettings withRingBytes(int value) {
    return new ShmSettings(new Values(value));
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
    return DEFAULT.withRingBytes(Integer.parseInt(said));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ShmSettings it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "ShmSettings");
  }
}
