package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.api.SessionPath;
import io.verbena.core.PathPolicy;
import io.verbena.core.link.LinkCapabilities;

/** Which path a session's calls take, and whether the policy lets them. On the loop. */
final class CallPath {
  private final SessionCore session;

  CallPath(SessionCore session) {
    this.session = session;
  }

  /** Returns whether calls may go by the path there is now. */
  boolean mayCall() {
    return session.context().upgrade().policy() != PathPolicy.REQUIRE_RDMA
        || session.lanes().isUpgraded();
  }

  /** Returns whether calls by the path that the peer takes now may be served. */
  boolean mayServe() {
    return session.context().upgrade().policy() != PathPolicy.REQUIRE_RDMA
        || session.lanes().isUpgradedIn();
  }

  /** A better link is not to be had now: what must not go without fails. */
  void upgradeFailed(String reason) {
    if (!mayCall() && session.isAttached()) {
      String why = "RDMA is required, and not to be had: " + reason;
      session.failWaiting(RpcStatus.UNAVAILABLE, why);
      session.role().upgradeFailed(why);
    }
  }

  /** The path has changed, or why it is what it is. */
  void changed() {
    session.transfers().pathsChanged();
    Lane out = session.lanes().out();
    if (out == null) {
      session.life().goesOverNone(session.upgrade().reason());
      return;
    }
    LinkCapabilities link = out.link().capabilities();
    session.pathCosts().changed();
    session
        .life()
        .goesOver(
            out == session.lanes().control()
                ? new SessionPath(link.kind(), joined(link.detail(), session.upgrade().reason()))
                : new SessionPath(link.kind(), link.detail()));
    if (session.lanes().isUpgraded()) {
      session.remoteServices().sendEarly();
      session.role().upgraded();
    }
  }

  private static String joined(String detail, String reason) {
    return detail.isEmpty() ? reason : detail + "; " + reason;
  }
}
