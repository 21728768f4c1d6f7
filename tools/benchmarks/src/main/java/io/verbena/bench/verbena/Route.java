package io.verbena.bench.verbena;

import io.verbena.core.PathPolicy;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.UpgradeProvider;
import io.verbena.shm.ShmUpgradeProvider;
import org.jspecify.annotations.Nullable;

/** A measured path of Verbena. */
public enum Route {
  /** TCP alone. */
  TCP("tcp", PathPolicy.TCP_ONLY),
  /** RDMA after an upgrade. If RDMA is lost, calls do not use TCP in its place. */
  RDMA("rdma", PathPolicy.REQUIRE_RDMA),
  /** Shared memory after an upgrade; between two processes of this host only. */
  SHM("shm", PathPolicy.REQUIRE_RDMA),
  /** The default: TCP until RDMA is available. Only the opening of sessions is measured. */
  PREFER(null, PathPolicy.PREFER_RDMA),
  /** The in-memory link in one process, which has no network costs. */
  MEM("mem", PathPolicy.TCP_ONLY);

  private final @Nullable String link;
  private final PathPolicy policy;

  Route(@Nullable String link, PathPolicy policy) {
    this.link = link;
    this.policy = policy;
  }

  /** Returns whether a session on a link is on this path. */
  boolean isOn(String now) {
    return link == null || link.equals(now);
  }

  /** Returns whether sessions upgrade to this path before their first call. */
  boolean isUpgrade() {
    return policy == PathPolicy.REQUIRE_RDMA;
  }

  PathPolicy policy() {
    return policy;
  }

  /** Returns the provider of links for upgrades; null if there is none. */
  @Nullable UpgradeProvider upgrades() {
    return this == SHM ? new ShmUpgradeProvider() : ChosenUpgrades.rdma();
  }
}
