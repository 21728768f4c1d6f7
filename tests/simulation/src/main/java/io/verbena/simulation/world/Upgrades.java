package io.verbena.simulation.world;

/** The kind of better link that a process has. */
public enum Upgrades {
  NONE,
  RDMA,
  SHARED_MEMORY
}
