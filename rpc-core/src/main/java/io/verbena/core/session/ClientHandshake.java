package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.Welcome;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.Link;
import io.verbena.link.runtime.ThrottledLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The client's side of opening or resuming a session over a new link. */
final class ClientHandshake extends Handshake {
  private static final ThrottledLog NOT_SET_UP =
      ThrottledLog.of(ClientHandshake.class, "sessions that could not be set up");

  private final Connector connector;
  private final @Nullable Duration window;
  private boolean greeted;

  /**
   * A handshake over a new link.
   *
   * @param window the resume window, where its end is the limit; else null
   */
  ClientHandshake(
      Link link, EventLoop loop, Duration limit, @Nullable Duration window, Connector connector) {
    super(link, loop, limit);
    this.window = window;
    this.connector = connector;
  }

  void begin(int epoch, Hello hello) {
    greeted = true;
    startTimer();
    say(FrameKind.HELLO, epoch, hello::write);
  }

  @Override
  void onWord(FrameKind kind, int epoch, WireDecoder body) {
    if (kind == FrameKind.WELCOME && greeted) {
      Welcome welcome = Welcome.read(body);
      finish();
      welcomed(welcome);
    } else if (kind == FrameKind.REFUSED) {
      Refusal refusal = Refusal.read(body);
      finish();
      link.close();
      connector.refused(refusal);
    } else {
      fail("protocol error while opening: the server answered with " + kind);
    }
  }

  private void welcomed(Welcome welcome) {
    try {
      connector.welcomed(link, welcome);
    } catch (RuntimeException e) {
      NOT_SET_UP.error("A session with {} could not be set up", link.peerAddress(), e);
      link.abort("the session could not be set up: " + e);
      connector.attemptFailed(RpcStatus.INTERNAL, "the session could not be set up: " + e);
    }
  }

  @Override
  String silence() {
    return window == null
        ? super.silence()
        : "did not resume the session, and now the resume window of "
            + window.toMillis()
            + " ms is over: see whether the server is held up, or allow more time by resumeWindow";
  }

  @Override
  String expected() {
    return "server";
  }

  @Override
  void onLost(String reason) {
    connector.greetingLost(reason);
  }

  @Override
  void onRefused(String reason) {
    connector.untrusted(reason);
  }

  @Override
  void onBroken(String reason) {
    connector.attemptFailed(RpcStatus.UNAVAILABLE, reason);
  }
}
