package io.verbena.bench.verbena;

import io.verbena.core.PathPolicy;

/** A path that Verbena is measured on. */
public enum Route {
  /** TCP, whatever the hosts have. */
  TCP("tcp", PathPolicy.TCP_ONLY),
  /** RDMA, which a session upgrades to. Where that is lost, nothing goes by TCP in its name. */
  RDMA("rdma", PathPolicy.REQUIRE_RDMA),
  /** The in-memory link, in one process: what is left without a network. */
  MEM("mem", PathPolicy.TCP_ONLY);

  private final String link;
  private final PathPolicy policy;

  Route(String link, PathPolicy policy) {
    this.link = link;
    this.policy = policy;
  }

  String link() {
    return link;
  }

  PathPolicy policy() {
    return policy;
  }
}
