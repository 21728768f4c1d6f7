package io.verbena.rdma;

import io.verbena.link.UpgradeDriver;

/** Requests to the end of a link on the other machine. */
interface FarEnd {
  /** Begins anew with these settings. */
  void begin(RdmaSettings settings);

  UpgradeDriver newDriver();

  /** Fails unless every queue pair was drained and nothing is registered any more. */
  void requireNothingLeft();

  /** Allocates memory under a name that is its address at the caller's; see {@link FarMemory}. */
  void allocate(long name, long bytes);

  void free(long name);

  void put(long name, byte[] bytes);

  byte[] get(long name, int bytes);
}
