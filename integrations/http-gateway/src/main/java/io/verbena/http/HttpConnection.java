package io.verbena.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
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
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.settings.OneLine;
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
 * One connection. It reads a request, lets an exchange answer it, and reads the next only when the
 * answer has been written. Time limits bound each step. The connection belongs to the event loop
 * that accepted it; methods for other threads say so.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter implements Quota.Holder {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(HttpConnection.class, "HTTP connections that failed");

  private static final int MOST_OF_FIRST_LINE = 8 << 10;
  private static final int MOST_OF_HEADERS = 32 << 10;
  private static final int CHUNK = 8 << 10;

  /** The bytes of later requests that are kept while one is answered. */
  private static final int MOST_AHEAD = 16 << 10;

  /**
   * The kernel's send buffer for a client that does not read. The gateway cannot see how much of it
   * the client has received, so a larger buffer would make a slow client look like a stopped one.
   */
  private static final int SENDING = 256 << 10;

  private static final byte[] NOTHING = {};

  private final HttpGateway gateway;
  private final Contracts contracts;
  private final SocketChannel channel;

  /** The client's address. With the PROXY protocol it is known when the first bytes have come. */
  private volatile String peer;

  private final List<X509Certificate> certificates;
  private final Executor loop;
  private final Requests requests = new Requests();

  /** Arriving bytes belong to the next request, or to the body that the exchange waits for. */
  private boolean reading = true;

  /** A part of a request has arrived, and its time limit runs. */
  private boolean receiving;

  private boolean answering;

  /**
   * The last part of the answer has been sent. Bytes that arrive from now on may be a reaction to
   * it.
   */
  private boolean saidAll;

  private volatile boolean closesAfterAnswer;

  /** What is sent in a stream when it has been silent for long; null elsewhere. */
  private volatile byte @Nullable [] signOfLife;

  /** When a part of the answer was sent last. */
  private long sentNanos;

  private boolean headOnly;
  private @Nullable Future<?> timer;

  /** The bytes of the body that have arrived so far. */
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Its share of the memory for bodies; the body counts until the request is answered. */
  private final Quota.Share memory;

  private @Nullable CompletableFuture<byte[]> body;

  /** The request has been read to its end, so the next bytes begin another one. */
  private volatile boolean readWhole;

  /** The thread that answers, as long as it does; guarded by this. */
  private @Nullable Thread worker;

  private volatile boolean gone;

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
    Object _ =
        List.of(
            new HttpRequestDecoder(limits()),
            new HttpResponseEncoder(),
            new HAProxyMessageDecoder());
  }

  /** Begins to read. */
  void open() {
    channel.config().setSendBufferSize(SENDING);
    channel.pipeline().addLast(new ProxyHeader(this), requests, new Responses(), this);
    limit(gateway.settings().idleTime(), channel::close);
    int most = contracts.sessions().maxSessions();
    if (!gateway.opened(this, most)) {
      begin(
          new Problem(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              RpcStatus.UNAVAILABLE,
              "the server has reached its limit of %d connections; raise maxSessions there"
                  .formatted(most)));
    }
  }

  /** Decodes requests one after the other. Nothing of the next is decoded while one is answered. */
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

    /**
     * While a long answer is sent, the connection reads on to notice when the client leaves. The
     * bytes are dropped.
     */
    private void tooFarAhead(ByteBuf in) {
      if (readWhole && !saidAll) {
        closesAfterAnswer = true;
        in.skipBytes(in.readableBytes());
      } else {
        // Soon these bytes are read as a body or as the next request.
        channel.config().setAutoRead(false);
      }
    }

    /** Does not ask for more bytes, which a decoder without a complete message would do. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
      if (reading) {
        super.channelReadComplete(context);
      } else {
        context.fireChannelReadComplete();
      }
    }

    /** Decodes the bytes that have arrived. */
    void goOn() throws Exception {
      if (own != null) {
        channelRead(own, Unpooled.EMPTY_BUFFER);
      }
    }
  }

  /** Omits the body of answers to HEAD. */
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
        if (reading) { // otherwise the connection ended within the request
          Problem unsound = unsound(head);
          begin(unsound == null ? head : unsound);
        }
      } else if (message instanceof HttpContent part) {
        take(part);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** Returns what is wrong with a head; null if a proxy would decode it in the same way. */
  private static @Nullable Problem unsound(HttpRequest head) {
    if (head.decoderResult().isFailure()) {
      return malformed(head.decoderResult().cause());
    }
    HttpVersion version = head.protocolVersion();
    if (!version.protocolName().equals("HTTP") || version.majorVersion() != 1) {
      return new Problem(
          HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED,
          RpcStatus.INVALID_ARGUMENT,
          "the request is of %s; this server speaks HTTP/1.1 and HTTP/1.0".formatted(version));
    }
    List<String> coding = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!coding.isEmpty() && !String.join(",", coding).equalsIgnoreCase("chunked")) {
      return new Problem(
          HttpResponseStatus.NOT_IMPLEMENTED,
          RpcStatus.INVALID_ARGUMENT,
          "the only transfer-encoding here is chunked");
    }
    return null;
  }

  private static Problem malformed(Throwable cause) {
    return switch (cause) {
      case TooLongHttpLineException _ ->
          new Problem(
              HttpResponseStatus.REQUEST_URI_TOO_LONG,
              RpcStatus.INVALID_ARGUMENT,
              "the request line is longer than %d bytes".formatted(MOST_OF_FIRST_LINE));
      case TooLongHttpHeaderException _ ->
          new Problem(
              HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
              RpcStatus.INVALID_ARGUMENT,
              "the headers are longer than %d bytes".formatted(MOST_OF_HEADERS));
      default ->
          Problem.wrong("the head of the request is malformed: " + OneLine.of(cause.getMessage()));
    };
  }

  private void begin(Object request) {
    stopTimer();
    reading = false;
    receiving = false;
    answering = true;
    saidAll = false;
    headOnly = request instanceof HttpRequest head && head.method().equals(HttpMethod.HEAD);
    try {
      Exchange exchange = new Exchange(this, contracts, request);
      gateway.threads().execute(() -> answer(exchange));
    } catch (RejectedExecutionException | OutOfMemoryError e) { // the server has closed, or is full
      answering = false;
      channel.close();
    }
  }

  private void take(HttpContent part) {
    ByteBuf content = part.content();
    if (part.decoderResult().isFailure()) {
      refuse(Problem.wrong("the chunks of the request's body are malformed"));
    } else if (bytes.size() + content.readableBytes() > gateway.settings().maxRequestBytes()) {
      refuse(tooLong());
    } else if (!memory.take(HttpGateway.taken(content.readableBytes()))) {
      refuse(tooMuchAtOnce("the request"));
    } else {
      try {
        content.readBytes(bytes, content.readableBytes());
      } catch (IOException e) {
        throw new AssertionError("memory has no I/O failure", e);
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

  /** Stops reading the body. */
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
        "the request's body is longer than the %d bytes that maxRequestBytes allows"
            .formatted(gateway.settings().maxRequestBytes()));
  }

  static Problem tooMuchAtOnce(String what) {
    return new Problem(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        RpcStatus.RESOURCE_EXHAUSTED,
        what
            + " needs more than this connection's part of requestMemoryBytes, and other connections use the rest; try again later, or raise requestMemoryBytes there");
  }

  private Problem tooSlow() {
    return new Problem(
        HttpResponseStatus.REQUEST_TIMEOUT,
        RpcStatus.INVALID_ARGUMENT,
        "the request was not complete within the %d ms that requestTime allows"
            .formatted(gateway.settings().requestTime().toMillis()));
  }

  private void receive(HttpRequest head, CompletableFuture<byte[]> whole) {
    if (readWhole) { // there is no body
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

  /**
   * Sets the only timer: runs the task after a time, unless another timer is set or this one is
   * stopped.
   */
  private void limit(Duration time, Runnable then) {
    stopTimer();
    timer = channel.eventLoop().schedule(then, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes the connection if the client reads nothing of a waiting answer for some time. */
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
        worker.interrupt(); // this cancels its call
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
      // Bytes that have arrived are not the next request: they may belong to this one's body.
      channel.close();
    }
  }

  /** Closes the session: the client is gone, and no thread answers any more. */
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

  /** A proxy has told for whom it connects. On the loop, before the first request. */
  void cameFor(String client) {
    peer = client;
  }

  /** Refuses what came instead of a request. On the loop, before the first request. */
  void refuseConnection(Problem why) {
    if (reading) {
      begin(why);
    }
  }

  /** Returns the client's address. */
  @Override
  public String peer() {
    return peer;
  }

  /** Does nothing: the memory is needed until the request is answered. */
  @Override
  public void wanted() {}

  /** Returns whether TLS ends here. Safe for use by any thread. */
  boolean isEncrypted() {
    return channel.pipeline().get(SslHandler.class) != null;
  }

  /** Returns whether the client has gone. Safe for use by any thread. */
  boolean isGone() {
    return gone;
  }

  /**
   * Returns whether another request may follow: this one has been read to its end, not too many
   * bytes of others were dropped, and the server does not drain. Safe for use by any thread.
   */
  boolean mayGoOn() {
    return readWhole && !closesAfterAnswer && !gateway.isDraining();
  }

  /**
   * Returns the client's session. A session is opened if there is none, or if the token has
   * changed.
   *
   * @throws RpcException if the server refuses the client
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
   * Reads the body. A client that expects 100-continue is told to send it.
   *
   * @throws Problem if the body is too long, too slow or malformed
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

  /** Returns the memory of an answer. */
  AnswerMemory answerMemory() {
    return new AnswerMemory(memory);
  }

  /** Returns what makes the buffers of answers. */
  ByteBufAllocator buffers() {
    return channel.alloc();
  }

  /**
   * Sends an answer or a part of it, and waits until it has been written. So at most one part waits
   * for a client that does not read.
   *
   * @throws InterruptedException if the client is gone
   */
  void send(Object part) throws InterruptedException {
    CompletableFuture<Boolean> written = new CompletableFuture<>();
    boolean taken =
        onLoop(
            () -> {
              saidAll = part instanceof LastHttpContent;
              sentNanos = System.nanoTime();
              channel
                  .writeAndFlush(part)
                  .addListener(
                      of -> {
                        stopTimer(); // before the waiting thread continues, and on the loop
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

  /**
   * Begins to send signs of life whenever a stream is silent for long, or proxies would end its
   * connection.
   */
  void keepAlive() {
    onLoop(this::scheduleSignOfLife);
  }

  private void scheduleSignOfLife() {
    long silence = gateway.settings().streamSilence().toNanos();
    long due = Math.max(1, silence - (System.nanoTime() - sentNanos));
    Future<?> _ =
        channel.eventLoop().schedule(() -> giveSignOfLife(silence), due, TimeUnit.NANOSECONDS);
  }

  private void giveSignOfLife(long silence) {
    if (gone || !answering || saidAll) {
      return;
    }
    byte[] sign = signOfLife;
    if (sign != null && unsent() == 0 && System.nanoTime() - sentNanos >= silence) {
      sentNanos = System.nanoTime();
      channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(sign)));
    }
    scheduleSignOfLife();
  }

  /**
   * Sets what may be sent from now on as a sign of life; null while an item is sent. By the thread
   * that answers.
   */
  void signOfLife(byte @Nullable [] sign) {
    signOfLife = sign;
  }

  private static void requireLoop(boolean isThere) throws InterruptedException {
    if (!isThere) {
      throw new InterruptedException("the client is gone");
    }
  }

  /** Runs a task on the loop; returns false if the loop has ended, and the connection with it. */
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

  /** Closes the connection unless it reads or answers a request. */
  void closeIfIdle() {
    onLoop(
        () -> {
          if (!answering && !receiving) {
            channel.close();
          }
        });
  }

  /** Closes the connection after the present answer. */
  void closeAfterAnswer() {
    onLoop(
        () -> {
          closesAfterAnswer = true;
          if (!answering) {
            channel.close();
          }
        });
  }

  /** Closes the connection at once. */
  void abort() {
    onLoop(() -> channel.unsafe().close(channel.newPromise()));
  }
}
