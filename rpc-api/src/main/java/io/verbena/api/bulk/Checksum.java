package io.verbena.api.bulk;

/**
 * The choice of transfers for which both ends compute a CRC32C of the whole object and compare it.
 */
public enum Checksum {
  /** Transfers into a file. The part of the file that has arrived then survives the process. */
  FILES,
  /** All transfers. */
  ALWAYS,
  /**
   * No transfer. Each transfer into a file then starts from the beginning. The kernel may send a
   * file directly, because the sender need not read its bytes.
   */
  NEVER
}
