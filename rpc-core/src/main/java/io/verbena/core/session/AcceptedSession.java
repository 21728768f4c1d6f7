package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;

/** One session on the server's side. It cannot connect; without a link it waits for the client. */
final class AcceptedSession implements SessionRole {
  private final SessionContext context;
  private final Acceptor acceptor;
  private final SessionKey key;
  private final SessionImpl core;
  private long timer = Timers.NONE;

  AcceptedSession(SessionContext context, Acceptor acceptor, SessionKey key) {
    this.context = context;
    this.acceptor = acceptor;
    this.key = key;
    this.core = context.maker().make(context, this);
  }

  SessionKey key() {
    return key;
  }

  SessionImpl core() {
    return core;
  }

  void attached() {
    context.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }

  @Override
  public boolean isClient() {
    return false;
  }

  @Override
  public int nextEpoch() {
    throw new IllegalStateException("the client numbers a session's links");
  }

  @Override
  public void upgraded() {}

  @Override
  public void upgradeFailed(String reason) {}

  @Override
  public void linkWanted() {
    // The client resumes, or the window ends the session and its calls with it.
  }

  @Override
  public void linkLost(String reason) {
    if (timer != Timers.NONE) {
      return; // an attempt to resume that failed buys no more time
    }
    long until = context.loop().now() + NanoClock.nanos(context.limits().resumeWindow());
    timer =
        context
            .loop()
            .timers()
            .schedule(
                until, now -> core.end(RpcStatus.UNAVAILABLE, "the client is gone: " + reason));
  }

  @Override
  public void peerLost(String reason) {
    core.end(RpcStatus.UNAVAILABLE, reason);
  }

  @Override
  public void peerLeft(String reason) {
    peerLost(reason);
  }

  @Override
  public void ended() {
    attached();
    acceptor.ended(this);
  }
}
