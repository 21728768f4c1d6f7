package io.verbena.bench.verbena;

import io.verbena.core.PathPolicy;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.UpgradeProvider;
import io.verbena.shm.ShmUpgradeProvider;
import org.jspecify.annotations.Nullable;

/** A path that Verbena is measured on. */
public enum Route {
  /** TCP, whatever the hosts have. */
  TCP("tcp", PathPolicy.TCP_ONLY),
  /** RDMA, which a session upgrades to. Where that is lost, nothing goes by TCP in its name. */
  RDMA("rdma", PathPolicy.REQUIRE_RDMA),
  /** Shared memory, which a session upgrades to; between two processes of this host only. */
  SHM("shm", PathPolicy.REQUIRE_RDMA),
  /** What a session takes by itself: TCP until RDMA is there. Only its opening is measured. */
  PREFER(null, PathPolicy.PREFER_RDMA),
  /** The in-memory link, in one process: what is left without a network. */
  MEM("mem", PathPolicy.TCP_ONLY);

  private final @Nullable String link;
  private final PathPolicy policy;

  Route(@Nullable String link, PathPolicy policy) {
    this.link = link;
    this.policy = policy;
  }

  /** Returns whether a session that goes by this link is on the path. */
  boolean isOn(String now) {
    return link == null || link.equals(now);
  }

  /** Returns whether sessions leave their first link for it, and make no call before. */
  boolean isUpgrade() {
    return policy == PathPolicy.REQUIRE_RDMA;
  }

  PathPolicy policy() {
    return policy;
  }

  /** Returns what makes the links that a session upgrades to; null where there is none. */
  @Nullable UpgradeProvider upgrades() {
    return this == SHM ? new ShmUpgradeProvider() : ChosenUpgrades.rdma();
  }
}
