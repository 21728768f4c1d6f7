package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** One end of an open TCP connection, after its TLS handshake. */
final class TcpLink extends ChannelInboundHandlerAdapter
    implements Link, FrameReader.Owner, FrameWriter.Owner {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(TcpLink.class, "listeners of TCP links that failed");

  /** The beginnings of the names of options that are the system's, not Netty's. */
  private static final Pattern OF_SOCKET = Pattern.compile("SO_|TCP_|IP_");

  /** The longest time for reading what arrived before sending failed. */
  private static final long READ_ON_MILLIS = 1_000;

  private TcpDriver driver;
  private final SocketChannel channel;
  private final String peerAddress;
  private final LinkCapabilities capabilities;
  private final List<X509Certificate> peerCertificates;
  private final @Nullable SSLSession tlsSession;
  private final boolean keepsItsThread;
  private final FrameReader reader;
  private final Pace pace;
  private final TcpBulk bulk;

  private final FrameWriter writer;
  private final Runnable tellOfRoom = this::tellOfRoom;
  private final Runnable resume = this::resume;
  private @Nullable LinkListener listener;

  private boolean receiving = true;

  /** The peer has closed while frames of its were held back by a pause. */
  private boolean endsWhenResumed;

  private @Nullable String closedBecause;
  private boolean untrusted;

  /** Why nothing can be sent any more; null while that has not failed. */
  private @Nullable Throwable unwritable;

  /** The owner was notified of the end. */
  private boolean toldOfEnd;

  TcpLink(
      TcpDriver driver,
      SocketChannel channel,
      String peerAddress,
      int maxFrameBytes,
      @Nullable SslHandler tls) {
    this.driver = driver;
    this.channel = channel;
    this.peerAddress = peerAddress;
    this.peerCertificates = Tls.peerCertificates(tls);
    this.tlsSession = tls == null ? null : tls.engine().getSession();
    this.keepsItsThread = tls != null && Tls.mayRunCodeOfOthers(tls.engine());
    String detail = tlsSession == null ? "" : tlsSession.getCipherSuite();
    this.capabilities = new LinkCapabilities(TcpAddress.SCHEME, detail, maxFrameBytes, tls != null);
    OpenTargets targets = new OpenTargets();
    this.pace = new Pace(driver.loop().ticker()::nanoTime);
    this.writer = new FrameWriter(channel, tls != null, targets, driver.batches(), this);
    this.bulk = new TcpBulk(this, writer, targets, tls != null, pace);
    this.reader = new FrameReader(maxFrameBytes, channel.alloc(), targets, this);
    ReceiveBuffer.readFor(reader, channel);
    channel.config().setAutoClose(false); // see unwritable
  }

  /** Asks the owner for its listener. The owner may close the link meanwhile. */
  void open(Function<Link, LinkListener> owner) {
    driver.opened(this);
    try {
      listener = owner.apply(this);
    } catch (Throwable e) {
      FAILED.error("The owner of the link to {} failed; the link is closed", peerAddress, e);
      abort("its owner failed: " + e);
      return;
    }
    tellOfEnd();
  }

  /** Returns whether only the loop's own thread may step this link. */
  boolean keepsItsThread() {
    return keepsItsThread;
  }

  @Override
  public void listener(LinkListener next) {
    listener = next;
  }

  @Override
  public LinkCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public String localAddress() {
    return TcpAddress.text(channel.localAddress());
  }

  @Override
  public String remoteAddress() {
    return TcpAddress.text(channel.remoteAddress());
  }

  @Override
  public String peerAddress() {
    return peerAddress;
  }

  @Override
  public List<X509Certificate> peerCertificates() {
    return peerCertificates;
  }

  @Override
  public @Nullable SSLSession tlsSession() {
    return tlsSession;
  }

  @Override
  public Map<String, String> socketOptions() {
    try {
      return channel.config().getOptions().entrySet().stream()
          .filter(option -> OF_SOCKET.matcher(option.getKey().name()).lookingAt())
          .collect(
              Collectors.toMap(
                  option -> option.getKey().name(),
                  option -> String.valueOf(option.getValue()),
                  (one, same) -> one)); // epoll has some twice
    } catch (ChannelException e) {
      return Map.of(); // closed
    }
  }

  @Override
  public SendResult send(Slot slot) {
    capabilities.requireFrame(slot.length());
    return writer.send(slot);
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public BulkPort bulk() {
    return bulk;
  }

  /** Prepares for chunks: the peer is about to get a target. */
  void expectChunks() {
    reader.expectChunks();
    writer.giveReceipts();
  }

  ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  public boolean isClosed() {
    return closedBecause != null;
  }

  /**
   * Notes that a chunk was written. The callback runs later, because this may be called from within
   * a send.
   */
  void bulkWritten(Runnable tell) {
    driver.later(() -> guarded(tell));
    if (bulk.isPushedBack()) {
      driver.later(tellOfRoom);
    }
    tellOfEndLater();
  }

  void bulkFailed(Throwable cause) {
    lost(cause);
    tellOfEndLater();
  }

  void bulkUnwritable(Throwable cause) {
    unwritable(cause);
    tellOfEndLater();
  }

  @Override
  public void setReceiving(boolean receiving) {
    if (this.receiving == receiving || closedBecause != null) {
      return;
    }
    this.receiving = receiving;
    reader.pause(!receiving);
    channel.config().setAutoRead(receiving);
    if (receiving && (reader.hasKept() || endsWhenResumed)) {
      channel.eventLoop().execute(resume);
    }
  }

  private void resume() {
    guarded(reader::resume);
    if (endsWhenResumed && receiving) {
      end(closedByPeer());
    }
  }

  @Override
  public void moveTo(LinkDriver other, Runnable there) {
    setReceiving(false);
    // Later, because this may be called from within a read.
    channel.eventLoop().execute(() -> leave((TcpDriver) other, there));
  }

  private void leave(TcpDriver next, Runnable there) {
    if (closedBecause == null) {
      driver.closed(this);
      channel
          .deregister()
          .addListener(
              left -> {
                driver.doLater(); // tasks of this link must not stay with this loop
                next.takeFromElsewhere(this, there);
              });
    }
  }

  /** Continues with the driver of this loop. */
  void arrive(TcpDriver next, Runnable there) {
    driver = next;
    next.opened(this);
    next.readInto(channel);
    writer.takeFrom(next.batches());
    next.register(channel);
    guarded(there);
    setReceiving(true);
  }

  /** Closes a link whose new loop is closed. */
  void arriveNowhere() {
    abort("the event loop that it was to move to is closed");
  }

  @Override
  public void close() {
    if (closedBecause == null) {
      flush();
      end("closed by this end");
      channel.close();
    }
  }

  @Override
  public void abort(String reason) {
    if (markClosed(reason)) {
      closeNow();
      tellOfEnd();
    }
  }

  /** Ends a link that is closed but still sends, because its loop ends. */
  void cutShort() {
    closeNow();
    tellOfEnd();
  }

  /** Closes the socket without a message to the peer. Nothing is written any more. */
  private void closeNow() {
    channel.unsafe().close(channel.newPromise());
  }

  private void end(String reason) {
    if (markClosed(reason)) {
      tellOfEnd();
    }
  }

  private boolean markClosed(String reason) {
    if (closedBecause != null) {
      return false;
    }
    closedBecause = reason;
    reader.close();
    writer.close();
    return true;
  }

  /** Notifies the listener that the link is gone, once sources of chunks are not read any more. */
  private void tellOfEnd() {
    if (listener == null || closedBecause == null || toldOfEnd || bulk.readsSources()) {
      return;
    }
    toldOfEnd = true;
    driver.closed(this);
    try {
      if (untrusted) {
        listener.onUntrusted(closedBecause);
      } else {
        listener.onClosed(closedBecause);
      }
    } catch (RuntimeException e) {
      FAILED.error("The listener of the link to {} failed as it closed", peerAddress, e);
    }
  }

  /**
   * Nothing can be sent any more, or received once the socket was read. The peer may have said why,
   * so the socket is read before the link ends.
   */
  @Override
  public void unwritable(Throwable cause) {
    if (!receiving || closedBecause != null) {
      lost(cause);
    } else if (unwritable == null) {
      unwritable = cause;
      driver.schedule(() -> lost(cause), READ_ON_MILLIS);
    }
  }

  private void lost(Throwable cause) {
    String reason =
        Tls.isTls(cause) ? Tls.explain(cause) : "the connection was lost: " + Thrown.reason(cause);
    if (markClosed(reason)) {
      untrusted = Tls.isUntrusted(cause);
      tellOfEndLater();
    }
    closeNow();
  }

  /** Later, because this may be called from within the owner's own send or flush. */
  private void tellOfEndLater() {
    if (closedBecause != null) {
      channel.eventLoop().execute(this::tellOfEnd);
    }
  }

  // Events from Netty.

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (closedBecause == null && reader.read(in)) {
        tellOfBulk();
      }
    } catch (RuntimeException e) {
      listenerFailed(e);
    } finally {
      in.release();
    }
  }

  private void tellOfBulk() {
    LinkListener owner = listener;
    if (owner != null && closedBecause == null) {
      owner.onBulkMoved();
    }
  }

  private void guarded(Runnable telling) {
    try {
      telling.run();
    } catch (RuntimeException e) {
      listenerFailed(e);
    }
  }

  private void listenerFailed(RuntimeException e) {
    FAILED.error("The listener of the link to {} failed; the link is closed", peerAddress, e);
    abort("its listener failed: " + e);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if ((writer.isPushedBack() || bulk.isPushedBack()) && channel.isWritable()) {
      // Later, because this may be called from within the owner's own send or flush.
      channel.eventLoop().execute(tellOfRoom);
    }
    if (writer.isReceiptDue()) {
      channel.eventLoop().execute(this::flush);
    }
  }

  private void tellOfRoom() {
    LinkListener owner = listener;
    boolean room =
        channel.isWritable() && (writer.isPushedBack() || (bulk.isPushedBack() && bulk.hasRoom()));
    if (room && closedBecause == null && owner != null) {
      writer.roomTold();
      bulk.roomTold();
      guarded(owner::onWritable);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!receiving && reader.hasKept()) {
      endsWhenResumed = true;
    } else if (unwritable != null) {
      lost(unwritable);
    } else {
      end(closedByPeer());
    }
  }

  private String closedByPeer() {
    return "the peer closed the connection" + reader.inTheMiddleOf();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException && !Tls.isTls(cause)) {
      unwritable(cause);
    } else {
      lost(cause);
    }
  }

  // Events from the reader.

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    LinkListener owner = listener;
    if (owner == null) {
      throw new IllegalStateException("a frame before the link was open");
    }
    owner.onFrame(buffer, from, to);
  }

  @Override
  public boolean expectsReceipts() {
    return pace.expectsReceipts();
  }

  @Override
  public void onReceipt(long bytes) {
    String wrong = pace.receipt(bytes);
    if (wrong != null) {
      abort(wrong);
      return;
    }
    if (bulk.isPushedBack()) {
      channel.eventLoop().execute(tellOfRoom);
    }
    tellOfBulk();
  }

  @Override
  public void onViolation(String reason) {
    abort(reason);
  }
}
