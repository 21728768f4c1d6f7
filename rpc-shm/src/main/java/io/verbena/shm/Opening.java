package io.verbena.shm;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LocalSockets;
import io.verbena.link.Secret;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A link that is being opened, at either end: the handshake over its socket, until the link takes
 * the socket over. The loop steps it, and it never blocks.
 *
 * <pre>
 *   active end                                             passive end
 *   "VSHM", version, token, nonce ───────────────────────→ knows the token
 *                                                          makes a file, fills it, maps it
 *   maps it, finds the nonce  ←──────────── MADE, file's number
 *                             ←──── or ──── REFUSED, length (2 bytes), why
 *   MAPPED ──────────────────────────────────────────────→ removes the file's name
 *   open                                                   open
 * </pre>
 */
abstract class Opening {
  static final int GREETING_BYTES = 5 + 2 * Secret.BYTES;
  static final byte MADE = 1;
  static final byte REFUSED = 2;
  static final byte MAPPED = 3;
  static final int MOST_REASON_BYTES = 512;

  final Links links;
  private long deadline;
  private LinkDriver.@Nullable ConnectHandler handler;
  private boolean known;
  private LocalSockets.@Nullable Connected socket;
  private ByteBuffer unsent = ByteBuffer.allocate(0);

  Opening(Links links) {
    this.links = links;
  }

  /** Sets the handler of the outcome, and the deadline. */
  final void setHandler(LinkDriver.ConnectHandler handler, long deadline) {
    this.handler = handler;
    this.deadline = deadline;
  }

  final void deadline(long deadline) {
    this.deadline = deadline;
  }

  final void socket(LocalSockets.Connected connected) {
    socket = connected;
  }

  final LocalSockets.Connected socket() throws IOException {
    LocalSockets.Connected connected = socket;
    if (connected == null) {
      throw new IOException("it has no socket");
    }
    return connected;
  }

  boolean isKnown() {
    return known;
  }

  /** Continues as far as it can; returns the amount of work done. */
  final int step(long now) {
    if (known) {
      return 0;
    }
    try {
      if (now - deadline >= 0) {
        throw new IOException(late());
      }
      if (unsent.hasRemaining() && links.sockets.write(socket(), unsent) == 0) {
        return 0;
      }
      return unsent.hasRemaining() ? 1 : go(now);
    } catch (LinkException | IOException | RuntimeException | InternalError e) {
      fail(failure(e));
    }
    return 1;
  }

  /** Continues, with nothing left to send. */
  abstract int go(long now) throws IOException, LinkException;

  /** Returns the meaning of a passed deadline. */
  abstract String late();

  /** Returns the meaning of a failure. */
  abstract LinkException failure(Throwable why);

  final void send(ByteBuffer bytes) {
    unsent = bytes;
  }

  /** Reads until a buffer is full; returns whether it is. */
  final boolean read(ByteBuffer into) throws IOException {
    int read;
    try {
      read = into.hasRemaining() ? links.sockets.read(socket(), into) : 0;
    } catch (IOException e) {
      throw new IOException("the peer has gone: " + Thrown.reason(e), e);
    }
    if (read < 0) {
      throw new IOException("the peer has gone, or turned this end away");
    }
    return !into.hasRemaining();
  }

  /** Opens the link, which takes the socket over. */
  final void open(
      RingFile file, boolean active, LinkOptions options, String localAddress, String peerAddress)
      throws IOException {
    LinkDriver.ConnectHandler owner = handler;
    if (owner == null) {
      throw new IOException("the link is no longer wanted");
    }
    ShmLink link = links.add(file, active, socket(), options, localAddress, peerAddress);
    known = true;
    link.open(owner::onConnected);
  }

  /** Gives up, and reports the failure. */
  final void fail(LinkException why) {
    if (known) {
      return;
    }
    known = true;
    drop();
    LocalSockets.Connected connected = socket;
    if (connected != null) {
      try {
        connected.close();
      } catch (IOException e) {
        why.addSuppressed(e);
      }
    }
    if (handler != null) {
      handler.onFailed(why);
    }
  }

  /** Releases everything that was made for the link. */
  abstract void drop();
}
