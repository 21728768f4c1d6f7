package io.verbena.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.link.memory.Quota;
import io.verbena.link.runtime.ThrottledLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: reads a request, has it answered, and only when the answer has been written reads
 * the next; ends what takes too long. It belongs to the event loop that accepted it, but for what
 * says otherwise.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter implements Quota.Holder {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(HttpConnection.class, "HTTP connections that failed");

  private static final int MOST_OF_FIRST_LINE = 8 << 10;
  private static final int MOST_OF_HEADERS = 32 << 10;
  private static final int CHUNK = 8 << 10;

  /** So much of later requests is kept while one is answered. */
  private static final int MOST_AHEAD = 16 << 10;

  /**
   * So much the kernel takes for a client that does not read. Of what it has taken nobody sees how
   * much the client has, so more would make a slow client look like one that has stopped.
   */
  private static final int SENDING = 256 << 10;

  private static final byte[] NOTHING = {};

  private final HttpGateway gateway;
  private final Contracts contracts;
  private final SocketChannel channel;
  private final String peer;
  private final List<X509Certificate> certificates;
  private final Executor loop;
  private final Requests requests = new Requests();

  /** What comes is a part of the next request, or of the body that is waited for. */
  private boolean reading = true;

  /** A part of a request has come, whose time is measured. */
  private boolean receiving;

  private boolean answering;

  /** The last part of the answer is on its way: what comes from now on may be in answer to it. */
  private boolean saidAll;

  private volatile boolean closesAfterAnswer;
  private boolean headOnly;
  private @Nullable Future<?> timer;

  /** What of the body has come, and who waits for the whole of it. */
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** What it has of the memory that connections share: its body, until the request is answered. */
  private final Quota.Share memory;

  private @Nullable CompletableFuture<byte[]> body;

  /** The request has been read to its end: what follows is the next one. */
  private volatile boolean readWhole;

  /** What answers, as long as it does; guarded by this. */
  private @Nullable Thread worker;

  private volatile boolean gone;

  // ---- of the thread that answers ----

  private @Nullable Session session;
  private String token = "";

  HttpConnection(
      HttpGateway gateway,
      Contracts contracts,
      SocketChannel channel,
      String peer,
      List<X509Certificate> certificates,
      Executor loop) {
    this.gateway = gateway;
    this.contracts = contracts;
    this.channel = channel;
    this.peer = peer;
    this.certificates = certificates;
    this.loop = loop;
    this.memory = gateway.memory().join(this);
  }

  private static HttpDecoderConfig limits() {
    return new HttpDecoderConfig()
        .setMaxInitialLineLength(MOST_OF_FIRST_LINE)
        .setMaxHeaderSize(MOST_OF_HEADERS)
        .setMaxChunkSize(CHUNK)
        .setStrictLineParsing(true)
        .setUseRfc9112TransferEncoding(true);
  }

  /**
   * Makes of Netty's codec what a connection needs of it.
   *
   * @throws LinkageError if it is missing, or of a version that lacks something
   */
  static void requireCodec() {
    Object _ = List.of(new HttpRequestDecoder(limits()), new HttpResponseEncoder());
  }

  /** Begins to read. */
  void open() {
    channel.config().setSendBufferSize(SENDING);
    channel.pipeline().addLast(requests, new Responses(), this);
    limit(gateway.settings().idleTime(), channel::close);
    int most = contracts.sessions().maxSessions();
    if (!gateway.opened(this, most)) {
      begin(
          new Problem(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              RpcStatus.UNAVAILABLE,
              "the server has all the %d connections it takes: raise maxSessions there"
                  .formatted(most)));
    }
  }

  // ---- what comes ----

  /** Takes requests apart, one after the other: of the next nothing, as long as one is answered. */
  private final class Requests extends HttpRequestDecoder {
    private @Nullable ChannelHandlerContext own;

    Requests() {
      super(limits());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      own = context;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
        throws Exception {
      if (reading) {
        if (!receiving) {
          receiving = true;
          limit(gateway.settings().requestTime(), () -> begin(tooSlow()));
        }
        super.decode(context, in, out);
      } else if (in.readableBytes() > MOST_AHEAD) {
        tooFarAhead(in);
      }
    }

    /** A client that is answered at length is read on, and so seen to go; its bytes are dropped. */
    private void tooFarAhead(ByteBuf in) {
      if (readWhole && !saidAll) {
        closesAfterAnswer = true;
        in.skipBytes(in.readableBytes());
      } else {
        channel.config().setAutoRead(false); // soon this is a body, or the next request
      }
    }

    /** Asks for no more, as a decoder would that has found no message. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
      if (reading) {
        super.channelReadComplete(context);
      } else {
        context.fireChannelReadComplete();
      }
    }

    /** Goes on with what has come. */
    void goOn() throws Exception {
      if (own != null) {
        channelRead(own, Unpooled.EMPTY_BUFFER);
      }
    }
  }

  /** Leaves out the body where only the head was asked for. */
  private final class Responses extends HttpResponseEncoder {
    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
      return headOnly || super.isContentAlwaysEmpty(response);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (message instanceof HttpRequest head) {
        if (reading) { // else the connection has ended within it
          begin(
              isSound(head)
                  ? head
                  : Problem.wrong("this is no request of HTTP/1.1, or its head is too long"));
        }
      } else if (message instanceof HttpContent part) {
        take(part);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** Others would be taken apart otherwise by somebody between. */
  private static boolean isSound(HttpRequest head) {
    List<String> coding = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    return head.decoderResult().isSuccess()
        && head.protocolVersion().protocolName().equals("HTTP")
        && head.protocolVersion().majorVersion() == 1
        && (coding.isEmpty() || String.join(",", coding).equalsIgnoreCase("chunked"));
  }

  private void begin(Object request) {
    stopTimer();
    reading = false;
    receiving = false;
    answering = true;
    saidAll = false;
    headOnly = request instanceof HttpRequest head && head.method().equals(HttpMethod.HEAD);
    Exchange exchange = new Exchange(this, contracts, request);
    try {
      gateway.threads().execute(() -> answer(exchange));
    } catch (RejectedExecutionException e) { // the server has closed
      answering = false;
      channel.close();
    }
  }

  private void take(HttpContent part) {
    ByteBuf content = part.content();
    if (part.decoderResult().isFailure()) {
      refuse(Problem.wrong("the request's body is not chunked as it should be"));
    } else if (bytes.size() + content.readableBytes() > gateway.settings().maxRequestBytes()) {
      refuse(tooLong());
    } else if (!memory.take(HttpGateway.taken(content.readableBytes()))) {
      refuse(tooMuchAtOnce());
    } else {
      try {
        content.readBytes(bytes, content.readableBytes());
      } catch (IOException e) {
        throw new AssertionError("there is none in memory", e);
      }
      if (part instanceof LastHttpContent) {
        reading = false;
        readWhole = true;
        if (body != null) {
          stopTimer();
          body.complete(bytes.toByteArray());
          bytes = new ByteArrayOutputStream();
        }
      }
    }
  }

  /** The body is not read any further. */
  private void refuse(Problem why) {
    reading = false;
    bytes = new ByteArrayOutputStream();
    if (body != null) {
      stopTimer();
      body.completeExceptionally(why);
    }
  }

  private Problem tooLong() {
    return new Problem(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        RpcStatus.INVALID_ARGUMENT,
        "the request has more than the %d bytes that maxRequestBytes allows"
            .formatted(gateway.settings().maxRequestBytes()));
  }

  private static Problem tooMuchAtOnce() {
    return new Problem(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        RpcStatus.RESOURCE_EXHAUSTED,
        "the request needs more than this connection's part of the memory that requestMemoryBytes"
            + " allows, and others have the rest: try again later, or raise it there");
  }

  private Problem tooSlow() {
    return new Problem(
        HttpResponseStatus.REQUEST_TIMEOUT,
        RpcStatus.INVALID_ARGUMENT,
        "the request did not come whole within the %d ms that requestTime allows"
            .formatted(gateway.settings().requestTime().toMillis()));
  }

  private void receive(HttpRequest head, CompletableFuture<byte[]> whole) {
    if (readWhole) { // there is none
      whole.complete(NOTHING);
    } else if (HttpUtil.getContentLength(head, 0L) > gateway.settings().maxRequestBytes()) {
      whole.completeExceptionally(tooLong());
    } else if (!gone) {
      body = whole;
      if (HttpUtil.is100ContinueExpected(head)) {
        channel.writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
      }
      receiving = true;
      limit(gateway.settings().requestTime(), () -> refuse(tooSlow()));
      goOn();
    }
  }

  private void goOn() {
    reading = true;
    channel.config().setAutoRead(true);
    try {
      requests.goOn();
    } catch (Exception e) {
      channel.pipeline().fireExceptionCaught(e);
    }
  }

  // ---- time ----

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** Does something after a time, unless something else comes before it. */
  private void limit(Duration time, Runnable then) {
    stopTimer();
    timer = channel.eventLoop().schedule(then, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Gives the client up when for some time it has taken nothing of what waits for it. */
  private void watch() {
    long left = unsent();
    limit(
        gateway.settings().idleTime(),
        () -> {
          if (unsent() == left) {
            channel.unsafe().close(channel.newPromise());
          } else {
            watch();
          }
        });
  }

  private long unsent() {
    ChannelOutboundBuffer waits = channel.unsafe().outboundBuffer();
    return waits == null ? 0 : waits.totalPendingWriteBytes() - waits.currentProgress();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    stopTimer();
    synchronized (this) {
      gone = true;
      if (worker != null) {
        worker.interrupt(); // which cancels its call
      }
    }
    if (!answering) {
      leave();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      FAILED.warn("The HTTP connection from {} failed: {}", peer, cause);
    }
    channel.close();
  }

  // ---- answering, on a thread for each request ----

  private void answer(Exchange exchange) {
    boolean goes;
    synchronized (this) {
      goes = !gone;
      worker = Thread.currentThread();
    }
    boolean again = false;
    try {
      if (goes) {
        again = exchange.answer();
      }
    } finally {
      synchronized (this) {
        worker = null;
      }
      boolean goesOn = again;
      onLoop(() -> answered(goesOn));
    }
  }

  private void answered(boolean goesOn) {
    answering = false;
    memory.give(memory.held());
    if (gone) {
      leave();
    } else if (goesOn && mayGoOn()) {
      readWhole = false;
      receiving = false;
      body = null;
      limit(gateway.settings().idleTime(), channel::close);
      goOn();
    } else {
      channel.close(); // what has come of a next request is none: it may be of this one's body
    }
  }

  /** The client is gone, and no thread is here any more: so is its session. */
  private void leave() {
    Session ends = session;
    session = null;
    if (ends != null) {
      ends.close();
    }
    ended();
  }

  private void ended() {
    memory.leave();
    gateway.ended(this);
  }

  HttpGateway gateway() {
    return gateway;
  }

  /** Returns where the client is. */
  @Override
  public String peer() {
    return peer;
  }

  /** What is held is needed until the request is answered. */
  @Override
  public void wanted() {}

  /** Returns whether TLS ends here. Safe for any thread. */
  boolean isEncrypted() {
    return channel.pipeline().get(SslHandler.class) != null;
  }

  /** Returns whether the client has gone. Safe for any thread. */
  boolean isGone() {
    return gone;
  }

  /**
   * Returns whether another request may follow: this one has been read to its end, not too much of
   * others has been, and the server does not drain. Safe for any thread.
   */
  boolean mayGoOn() {
    return readWhole && !closesAfterAnswer && !gateway.isDraining();
  }

  /**
   * Returns the client's session: opens it where there is none, or it is with another token.
   *
   * @throws RpcException if the server takes no such client
   */
  Session session(String shown) throws InterruptedException {
    Session has = session;
    if (has != null && token.equals(shown)) {
      return has;
    }
    if (has != null) {
      has.close();
      session = null;
    }
    HttpSettings settings = gateway.settings();
    int most = Math.max(settings.maxRequestBytes(), settings.maxResponseBytes());
    CompletionStage<Session> opening =
        contracts.sessions().open(shown, certificates, peer, isEncrypted(), most);
    try {
      Session opened = opening.toCompletableFuture().get();
      session = opened;
      token = shown;
      return opened;
    } catch (InterruptedException e) {
      opening.thenAccept(Session::close);
      throw e;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RpcException why ? why : new IllegalStateException(e);
    }
  }

  /**
   * Reads the body, which a client that waits to be asked for it then sends.
   *
   * @throws Problem if it is too long, comes too slowly, or is none
   * @throws InterruptedException if the client is gone
   */
  byte[] body(HttpRequest head) throws Problem, InterruptedException {
    CompletableFuture<byte[]> whole = new CompletableFuture<>();
    requireLoop(onLoop(() -> receive(head, whole)));
    try {
      return whole.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Problem why) {
        throw why;
      }
      throw new IllegalStateException(e);
    }
  }

  /** Returns bytes in a buffer that counts as what waits for the client. Safe for any thread. */
  ByteBuf buffer(byte[] bytes) {
    return channel.alloc().buffer(bytes.length).writeBytes(bytes);
  }

  /**
   * Sends an answer, or a part of it, and waits until it has been written: so no more than one
   * waits for a client that does not read.
   *
   * @throws InterruptedException if the client is gone
   */
  void send(Object part) throws InterruptedException {
    CompletableFuture<Boolean> written = new CompletableFuture<>();
    boolean taken =
        onLoop(
            () -> {
              saidAll = part instanceof LastHttpContent;
              channel
                  .writeAndFlush(part)
                  .addListener(
                      of -> {
                        stopTimer(); // before whoever waits goes on, and on the loop
                        written.complete(of.isSuccess());
                      });
              if (!written.isDone()) {
                watch();
              }
            });
    if (!taken) {
      ReferenceCountUtil.release(part);
    }
    requireLoop(taken);
    try {
      requireLoop(written.get());
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static void requireLoop(boolean isThere) throws InterruptedException {
    if (!isThere) {
      throw new InterruptedException("the client is gone");
    }
  }

  /** Has the loop do something; returns false where it has ended, and the connection with it. */
  private boolean onLoop(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      gone = true;
      ended();
      return false;
    }
  }

  // ---- from the gateway, any thread ----

  /** Closes the connection unless it has something to answer. */
  void closeIfIdle() {
    onLoop(
        () -> {
          if (!answering && !receiving) {
            channel.close();
          }
        });
  }

  /** Closes the connection when it has answered. */
  void closeAfterAnswer() {
    onLoop(
        () -> {
          closesAfterAnswer = true;
          if (!answering) {
            channel.close();
          }
        });
  }

  /** Closes the connection without another word. */
  void abort() {
    onLoop(() -> channel.unsafe().close(channel.newPromise()));
  }
}
