package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.codec.WireDecoder;
import io.verbena.core.loop.Timers;
import io.verbena.core.transfer.IncomingTransfer;
import io.verbena.link.memory.Slot;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call whose result goes to a landing of its caller. In every case it ends only when nothing
 * writes to the landing any more.
 */
final class LandingCall extends PendingCall.WithOptions<Received> implements Timers.Timer {
  private final Landing landing;
  private final CompletableFuture<Void> landingFree = new CompletableFuture<>();
  private @Nullable IncomingTransfer answer;
  private long timer = Timers.NONE;
  private @Nullable Exception failure;

  /** Whether the answer was given up with its peer while the landing is still in use by it. */
  private boolean withdrawn;

  LandingCall(
      OutgoingCalls host,
      MethodDescriptor<Received> method,
      Slot slot,
      long timeoutNanos,
      Landing landing,
      @Nullable Consumer<Metadata> listener) {
    super(host, method, slot, timeoutNanos, null, listener);
    this.landing = landing;
  }

  @Override
  void begin() {
    timer = host.calls.loop.timers().schedule(deadlineNanos(), this);
  }

  /** Opens the landing for the peer, before the request is sent. */
  @Override
  public void directTo(int place) {
    super.directTo(place);
    if (answer == null && !isGivenUp()) {
      answer =
          host.calls.objects.await(
              id, method().fullName(), landing, this::received, this::answerFailed);
    }
  }

  /**
   * Returns whether it may be sent. It must wait while the landing is still open for a peer that is
   * gone.
   */
  @Override
  public boolean mayLeave() {
    return !withdrawn;
  }

  /** The call waits for the next peer, for which its landing will be opened again. */
  @Override
  void awaitNextPeer() {
    IncomingTransfer awaited = answer;
    if (awaited != null && !isGivenUp()) {
      withdrawn = true;
      awaited.fail(RpcStatus.UNAVAILABLE, "the peer is gone, and its call waits for the next");
    }
  }

  /** Returns false, because it has its own timer. Its object arrives after its reply. */
  @Override
  public boolean isTimed() {
    return false;
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    expire();
  }

  @Override
  boolean isGivenUp() {
    return isDone() || isEnding();
  }

  @Override
  protected boolean isFenced() {
    return true;
  }

  @Override
  protected void end() {
    host.calls.loop.execute(
        () -> {
          host.abandoned(this);
          end(failure(RpcStatus.CANCELLED, "its caller cancelled it"));
        });
  }

  @Override
  public void awaitLandingFree() {
    awaitFree(landingFree, "The landing's bytes");
  }

  private void received(Received object) {
    landingFree.complete(null);
    stopTimer();
    if (!settle(object)) {
      object.close(); // the caller gave up meanwhile
    }
  }

  /** The object of the call will not arrive, and nothing writes to the landing any more. */
  private void answerFailed(RpcStatus status, String why) {
    Exception known = failure;
    if (withdrawn && known == null) {
      withdrawn = false;
      answer = null;
      host.calls.loop.execute(host::mayLeave);
      return;
    }
    landingFree.complete(null);
    stopTimer();
    settleFailed(known == null ? failure(status, why) : known);
    host.calls.loop.execute(() -> host.abandoned(this));
  }

  /** Ends the call with an error, when nothing writes to its landing any more. */
  @Override
  void end(Exception error) {
    IncomingTransfer awaited = answer;
    if (awaited == null) {
      landingFree.complete(null);
      settleFailed(error);
    } else if (!landingFree.isDone()) {
      failure = failure == null ? error : failure;
      awaited.fail(RpcStatus.CANCELLED, "its call failed");
    }
  }

  /** Keeps the timer while the object is in transfer. */
  @Override
  void close() {
    super.close();
    if (landingFree.isDone()) {
      stopTimer();
    }
  }

  private void stopTimer() {
    host.calls.loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  @Override
  @Nullable Received readResult(WireDecoder in) {
    return null; // it arrives after the reply
  }

  @Override
  void result(@Nullable Received none) {
    IncomingTransfer awaited = answer;
    if (awaited == null || !awaited.isOnItsWay()) {
      end(notDecoded(RpcStatus.PROTOCOL_ERROR, "it refers to an object that was not offered"));
    }
  }
}
