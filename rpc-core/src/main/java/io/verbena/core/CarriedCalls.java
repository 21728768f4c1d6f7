package io.verbena.core;

import io.verbena.api.Session;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.call.ServerCall;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.SessionObjects;
import io.verbena.core.user.UserSession;
import io.verbena.link.Link;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What another RPC system needs if sessions carry its calls: the thread of a session, the ends of
 * its first link, and answers that come after the dispatcher has returned. Applications do not need
 * it; {@code io.verbena:verbena-grpc} uses it.
 */
public final class CarriedCalls {
  /** Half of what is decoded on the loop. */
  private static final int SURELY_SHORT_BYTES = 4 << 10;

  private CarriedCalls() {}

  /**
   * The ends of a session's first link.
   *
   * @param local the address of this end, such as {@code "tcp://10.0.0.5:7400"}
   * @param remote the address of the peer, by IP address where there is one
   * @param tls the session of its TLS handshake; null without TLS
   */
  public record Ends(String local, String remote, @Nullable SSLSession tls) {}

  /**
   * Returns the event loop of a session. It runs the callbacks of the session's calls, and its
   * dispatchers for messages of up to 8 KiB. A call that begins on this thread never waits. Safe
   * for use by any thread.
   */
  public static EventLoop loop(Session session) {
    return ((SessionImpl) session).loop();
  }

  /**
   * Returns the ends of a session's first link; null while there is none. On the session's loop.
   */
  public static @Nullable Ends ends(Session session) {
    Link link = ((SessionImpl) session).firstLink();
    return link == null
        ? null
        : new Ends(link.localAddress(), link.remoteAddress(), link.tlsSession());
  }

  /**
   * Returns the options of the socket of a session's first link, by their names in C. Empty if
   * there is none. On the session's loop.
   */
  public static Map<String, String> socketOptions(Session session) {
    Link link = ((SessionImpl) session).firstLink();
    return link == null ? Map.of() : link.socketOptions();
  }

  /**
   * Lets a dispatcher return before it has passed the handler of a call, which must then be
   * answered by {@link LateCall#answer}. Call it in the dispatcher of a non-blocking method. The
   * deadline of the call does not end it at this end.
   */
  public static LateCall late(IncomingCall call) {
    ServerCall late = (ServerCall) call;
    late.awaitHandler();
    return late;
  }

  /**
   * Writes what remains of buffers as one argument of a call. Their bytes are copied, however many
   * they are, so their memory is free when this returns.
   */
  public static void copy(List<ByteBuffer> parts, WireOut out) {
    ((WireEncoder) out).writeWithin(parts);
  }

  /**
   * Reads bytes from the arguments of a call without a copy. The view is valid until the dispatcher
   * returns.
   */
  public static ByteBuffer view(WireIn in) {
    return ((WireDecoder) in).viewBytes();
  }

  /**
   * Makes a call that is answered at the end of the session. It does not keep callers from {@link
   * #drive}. The peer's calls must run no code of users then, except for calls of this end that are
   * in flight. On the loop.
   *
   * @return completes at the end of a cycle of the loop's own thread
   */
  public static <R> CompletableFuture<R> stand(
      Session session, ServiceCaller caller, MethodDescriptor<R> method) {
    UserSession carrying = (UserSession) session;
    CompletableFuture<R> told = new CompletableFuture<>();
    carrying.carries(1);
    CompletionStage<R> _ =
        caller
            .submit(method, out -> {})
            .whenComplete(
                (result, failure) -> {
                  carrying.carries(-1);
                  carrying
                      .loop()
                      .execute(
                          () -> {
                            if (failure == null) {
                              told.complete(result);
                            } else {
                              told.completeExceptionally(failure);
                            }
                          });
                });
    return told;
  }

  /**
   * Runs a command on the loop of a session. If nobody else needs the loop, the calling thread
   * steps it until a future is done, for 5 ms at most. Safe for use by any thread.
   *
   * @param until done on the loop. It must follow from the command and what the peer sends
   * @return false if the command was not run
   */
  public static boolean drive(Session session, Runnable command, Future<?> until) {
    return loop(session).drive(command::run, until);
  }

  /**
   * Returns whether a call may begin after messages that are sent later, because its own is decoded
   * beside the loop: it is long, or may be compressed. Safe for use by any thread.
   *
   * @param bytes of its arguments, but for lengths and other members of some hundred bytes
   */
  public static boolean mayBeginLate(Session session, int bytes) {
    return bytes > SURELY_SHORT_BYTES || ((SessionImpl) session).context().compression() != null;
  }

  /**
   * Sends a piece of a stream beside the messages of a session, to the receiver that its other end
   * has set by {@link #onPush}. A session that drains sends it, too. Safe for use by any thread.
   *
   * @param stream at least 0
   * @param sequence the place of the piece in its stream, at least 0
   * @param last whether it is the last piece of the stream
   * @param bytes what remains of the buffer, outside the heap. They must not change until the
   *     result is there
   * @return ends on the loop, when the bytes have arrived or will not, and are no longer in use
   */
  public static CompletionStage<Received> push(
      Session session, long stream, int sequence, boolean last, ByteBuffer bytes) {
    return ((SessionObjects) session.objects())
        .carry(
            CarriedPieces.name(stream, sequence, last),
            Source.of(bytes),
            TransferOptions.DEFAULT.withoutChecksum())
        .result();
  }

  /**
   * Sets the receiver of what the other end sends by {@link #push}, and of what becomes of this
   * end's one-way calls. Objects of users go to the session's own handler. Safe for use by any
   * thread.
   */
  public static void onPush(Session session, CarriedPieces receiver) {
    ((SessionObjects) session.objects()).onCarried(receiver.handler());
    loop(session).runOrExecute(() -> ((UserSession) session).whenRefused(receiver::refused));
  }

  /** Returns the session through which a call arrived. */
  public static Session session(IncomingCall call) {
    return ((ServerCall) call).session();
  }
}
