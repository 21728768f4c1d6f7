package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.bulk.transfer.SessionObjects;
import io.verbena.core.bulk.transfer.Transfers;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Workers;
import io.verbena.link.memory.Quota;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Joins a session and its transfers. */
final class BulkSupport implements BulkHost {
  private final SessionImpl session;
  private final Transfers transfers;
  private final BulkObjects objects;

  BulkSupport(SessionImpl session) {
    this.session = session;
    this.transfers = new Transfers(this);
    this.objects = new SessionObjects(this, transfers);
  }

  Transfers transfers() {
    return transfers;
  }

  BulkObjects objects() {
    return objects;
  }

  @Override
  public EventLoop loop() {
    return session.loop();
  }

  @Override
  public Executor handlers() {
    return session.context().handlers();
  }

  @Override
  public Workers workers() {
    return session.context().workers();
  }

  @Override
  public BulkContext bulkContext() {
    return session.context().bulk();
  }

  @Override
  public Quota.Share pooled() {
    return session.memory().values();
  }

  @Override
  public boolean isClientEnd() {
    return session.role().isClient();
  }

  @Override
  public int mostCalls() {
    return session.limits().maxCalls();
  }

  @Override
  public Peer peer() {
    return session.peer();
  }

  @Override
  public boolean isEnded() {
    return session.isEnded();
  }

  @Override
  public void sendBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    session.enqueue(ControlFrame.message(kind, transfer, body));
  }

  @Override
  public boolean sayBulk(FrameKind kind, long transfer, Consumer<WireOut> body) {
    SessionLink out = session.links().out();
    return out != null && out.say(ControlFrame.slot(kind, out.epoch(), transfer, body));
  }

  @Override
  public @Nullable BulkPath bulkPath() {
    SessionLinks links = session.links();
    SessionLink better = links.isUpgraded() ? links.out() : null;
    BulkPath path = better == null ? null : better.bulkPath();
    if (path != null) {
      return path;
    }
    SessionLink control = links.control();
    return control == null || !session.mayCall() ? null : control.bulkPath();
  }

  @Override
  public @Nullable BulkPath bulkPath(int epoch) {
    SessionLink sessionLink = session.links().withEpoch(epoch);
    return sessionLink == null ? null : sessionLink.bulkPath();
  }

  @Override
  public boolean hasLink() {
    SessionState state = session.state();
    return state == SessionState.OPEN || state == SessionState.DRAINING;
  }

  @Override
  public boolean movesNoBulk() {
    return session.isAttached() && !session.links().moveBulk();
  }

  @Override
  public CutOffs cutOffs() {
    return session.pathCosts().cutOffs();
  }

  @Override
  public void schedulePump() {
    session.schedulePump();
  }
}
