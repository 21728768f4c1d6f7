package io.verbena.verbs.fabric;

/** A limit of a device. */
public enum DeviceLimit {
  /** The bytes that may be registered. */
  REGISTERED_BYTES(Long.MAX_VALUE),

  /** The longest inline request. */
  INLINE(512),

  /** The pieces of a request. */
  PIECES(32),

  /** The depth of a queue of a queue pair. */
  REQUESTS(1 << 14),

  /** The depth of a completion queue. */
  COMPLETIONS(1 << 16),

  /** The depth of a shared receive queue. */
  SHARED_RECEIVES(1 << 14),

  DOMAINS(1 << 20),
  REGIONS(1 << 20),
  WINDOWS(1 << 20),

  /** The interrupt vectors for completions. */
  VECTORS(4),

  /**
   * The READs and atomics under way on a queue pair, in each direction. librdmacm takes it modulo
   * 256 for connections that request the greatest depth (rdma-core 691953d8d, librdmacm/cma.c).
   */
  READS(128);

  private final long usual;

  DeviceLimit(long usual) {
    this.usual = usual;
  }

  /** Returns the limit of a device that has plenty. */
  long usual() {
    return usual;
  }
}
