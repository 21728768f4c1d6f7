package io.verbena.core;

import io.verbena.api.Session;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.call.ServerCall;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.Link;
import java.nio.ByteBuffer;
import java.util.Map;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What another RPC system needs if sessions carry its calls: the thread of a session, the ends of
 * its first link, and answers that come after the dispatcher has returned. Applications do not need
 * it; {@code io.verbena:verbena-grpc} uses it.
 */
public final class CarriedCalls {
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
   * Writes what remains of a buffer as an argument of a call. Its bytes are copied, however many
   * they are, so its memory is free when this returns.
   */
  public static void copy(ByteBuffer bytes, WireOut out) {
    ((WireEncoder) out).writeWithin(bytes);
  }

  /**
   * Reads bytes from the arguments of a call without a copy. The view is valid until the dispatcher
   * returns.
   */
  public static ByteBuffer view(WireIn in) {
    return ((WireDecoder) in).viewBytes();
  }

  /** Returns the session through which a call arrived. */
  public static Session session(IncomingCall call) {
    return ((ServerCall) call).session();
  }
}
