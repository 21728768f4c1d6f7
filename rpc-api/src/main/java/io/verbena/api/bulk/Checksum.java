package io.verbena.api.bulk;

/** When both ends compute a CRC32C of a whole object, and compare. */
public enum Checksum {
  /** Where it goes into a file. What of a file has come then outlives the process. */
  FILES,
  /** Wherever it goes. */
  ALWAYS,
  /**
   * Nowhere. A file is then begun anew by each transfer, and may be sent by the kernel, which shows
   * its bytes to nobody.
   */
  NEVER
}
