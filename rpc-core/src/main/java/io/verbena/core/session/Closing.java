package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How a session is closed on this side: one-way calls that were sent before arrive first, since
 * nobody waits for them who would be told of their loss. All else ends at once. On the loop, but
 * {@link #isOn} and {@link #done}.
 */
final class Closing implements Timers.Timer {
  /** A peer that takes nothing more is waited for no longer. */
  static final Duration LONGEST = Duration.ofSeconds(2);

  static final String REASON = "the session was closed on this side";

  private final SessionImpl session;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private volatile boolean on;
  private boolean finishing;
  private long timer = Timers.NONE;

  Closing(SessionImpl session) {
    this.session = session;
  }

  /** Returns whether the session is about to end, and takes no more calls. Safe for any thread. */
  boolean isOn() {
    return on;
  }

  /** Returns what completes when the session has ended. Safe for any thread. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Closes the session when what is one-way has arrived. */
  void begin() {
    if (on || session.isEnded()) {
      return;
    }
    on = true;
    if (waits()) {
      timer = session.loop().timers().schedule(session.loop().now() + LONGEST.toNanos(), this);
      session.participants().forEach(one -> one.closes(RpcStatus.CANCELLED, REASON));
      session.schedulePump();
    } else {
      finish();
    }
  }

  private boolean waits() {
    return session.isAttached() && session.hasToArrive();
  }

  /** Something has arrived, or was lost; returns whether the session has ended by that. */
  boolean goesOn() {
    if (on && !finishing && !session.isEnded() && !waits()) {
      finish();
      return true;
    }
    return false;
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    finish();
  }

  /** Closes the session now. */
  void finish() {
    if (session.isEnded()) {
      return;
    }
    finishing = true; // what is pumped now is no reason to look again
    sayGoodbye();
    session.end(RpcStatus.CANCELLED, REASON);
  }

  /** The session has ended, for whatever reason. */
  void ended() {
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
    done.complete(null);
  }

  /** Tells the peer that this end closes the session. */
  private void sayGoodbye() {
    SessionLink first =
        session.links().control() == null ? session.links().out() : session.links().control();
    if (first != null) {
      session.participants().forEach(Participant::lastWords);
      session.pump().run(); // what was sent before still goes
      first.say(FrameKind.GOODBYE);
      first.link().flush();
    }
  }
}
