package io.verbena.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LocalSockets;
import io.verbena.link.runtime.Thrown;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Steps the TCP links of one event loop. The first thread to call it owns it, until another
 * {@linkplain #adopted takes it over}.
 */
final class TcpDriver implements LinkDriver {
  /**
   * The marks of unwritten bytes: at the high one a link pushes back, below the low one it has room
   * again.
   */
  private static final WriteBufferWaterMark WRITE_BUFFER =
      new WriteBufferWaterMark(BatchPool.BATCH_BYTES, 4 * BatchPool.BATCH_BYTES);

  private static final int STEPS_TO_CLOSE = 16;

  /** The files of epoll: the instance, its wake-up and its timer. */
  private static final int FILES_OF_A_LOOP = 3;

  private final Transport transport;
  private final Runnable wakeLoop;
  private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;

  private final ReceiveBuffer receiveBuffer;

  private final BatchPool batches = new BatchPool(allocator);
  private final Set<TcpLink> links = new LinkedHashSet<>();
  private final Set<TcpAttempt> attempts = new LinkedHashSet<>();
  private final Set<TcpListening> listenings = new LinkedHashSet<>();
  private final TcpLoop loop;

  /** Tasks to run once the stack is unwound, before the kernel is asked again. */
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();

  /** The number of links that only the loop's own thread may step. */
  private int keepTheirThread;

  private boolean owned;
  private boolean closed;
  private volatile boolean woken;

  TcpDriver(Transport transport, Runnable wakeLoop) {
    this.transport = transport;
    this.wakeLoop = wakeLoop;
    this.receiveBuffer = receiveBuffer();
    OpenFiles.prepare();
    try {
      this.loop = new TcpLoop(transport.handlers().get(), () -> !woken);
    } catch (ChannelException e) {
      receiveBuffer.release();
      String cause = e.getCause() == null ? "" : ": " + Thrown.reason(e.getCause());
      String why = OpenFiles.why(FILES_OF_A_LOOP, Thrown.words(e) + cause);
      throw new IllegalStateException("an event loop could not be opened: " + why, e);
    }
  }

  private static ReceiveBuffer receiveBuffer() {
    try {
      return new ReceiveBuffer();
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "an event loop could not be opened: the process has no direct memory left for the"
              + " buffer of its sockets; raise -XX:MaxDirectMemorySize, or find what uses it: "
              + e.getMessage(),
          e);
    }
  }

  private void own() {
    if (!owned) {
      adopted();
    }
  }

  /**
   * Another thread may step the links while no connection is being made, and no TLS of theirs may
   * run code of others.
   */
  @Override
  public boolean mayChangeThread() {
    return keepTheirThread == 0
        && attempts.isEmpty()
        && listenings.isEmpty()
        && later.isEmpty()
        && !closed;
  }

  /**
   * The JDK gives the carrier of a virtual thread that waits at a selector a stand-in, which takes
   * longer than the changes of thread that a caller saves.
   */
  @Override
  public boolean suitsVirtualThreads() {
    return transport.isEpoll();
  }

  @Override
  public void adopted() {
    owned = true;
    loop.takeOver();
  }

  @Override
  public void released() {
    loop.letGo();
  }

  @Override
  public LocalSockets localSockets() {
    own();
    return transport.isEpoll() ? new EpollLocalSockets(loop) : new NioLocalSockets(loop);
  }

  @Override
  public int poll() {
    own();
    return closed ? 0 : doLater() + loop.step();
  }

  @Override
  public int await(long nanos) {
    own();
    int done = doLater();
    if (done == 0 && !closed && nanos > 0) {
      done = loop.await(nanos);
    }
    woken = false;
    return done;
  }

  /** Runs a task once the stack is unwound, before the next wait. */
  void later(Runnable task) {
    later.add(task);
  }

  /** Runs the delayed tasks; returns their number. */
  int doLater() {
    int due = later.size();
    for (int i = 0; i < due; i++) {
      later.remove().run();
    }
    return due;
  }

  @Override
  public void wakeup() {
    woken = true;
    loop.wakeup();
  }

  @Override
  public void connect(URI address, LinkOptions options, ConnectHandler handler) {
    own();
    TcpAttempt attempt = new TcpAttempt(this, address, options, handler);
    attempts.add(attempt);
    loop.execute(attempt::start);
  }

  @Override
  public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
      throws LinkException {
    own();
    TcpListening listening = new TcpListening(this, TcpAddress.of(address), options, handler);
    listenings.add(listening);
    return listening;
  }

  TcpLoop loop() {
    return loop;
  }

  Transport transport() {
    return transport;
  }

  BatchPool batches() {
    return batches;
  }

  /** Runs a task on this loop for another thread. Safe for use by any thread. */
  void executeFromElsewhere(Runnable task) {
    loop.execute(task);
    wakeLoop.run();
  }

  /** Continues a link that has left its loop on this one. Safe for use by any thread. */
  void takeFromElsewhere(TcpLink link, Runnable there) {
    try {
      executeFromElsewhere(
          () -> {
            if (closed) {
              link.arriveNowhere();
            } else {
              link.arrive(this, there);
            }
          });
    } catch (RejectedExecutionException e) {
      link.arriveNowhere();
    }
  }

  /** Makes a socket from another loop read into this one's memory. */
  void readInto(SocketChannel channel) {
    receiveBuffer.takeOver(channel);
  }

  void schedule(Runnable task, long millis) {
    loop.schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /** Registers a socket with the loop. */
  void register(Channel channel) {
    channel.unsafe().register(loop, channel.newPromise());
  }

  /** Configures a socket that will carry a link. */
  void configure(SocketChannel channel, LinkOptions options) {
    channel.config().setTcpNoDelay(true).setKeepAlive(true).setAllocator(allocator);
    channel.config().setWriteBufferWaterMark(WRITE_BUFFER);
    channel.config().setMessageSizeEstimator(FrameBytes.COUNTED);
    // Attempts have a time limit of their own.
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
    UnsentInKernel.limit(channel, UnsentInKernel.LEAST);
    if (options.tls() == null) {
      // TLS keeps bytes until a record is complete, so it gets buffers of its own.
      receiveBuffer.use(channel);
    }
  }

  void opened(TcpLink link) {
    if (links.add(link) && link.keepsItsThread()) {
      keepTheirThread++;
    }
  }

  void closed(TcpLink link) {
    if (links.remove(link) && link.keepsItsThread()) {
      keepTheirThread--;
    }
  }

  void ended(TcpAttempt attempt) {
    attempts.remove(attempt);
  }

  void ended(TcpListening listening) {
    listenings.remove(listening);
  }

  @Override
  public void close() {
    own();
    if (closed) {
      return;
    }
    List.copyOf(listenings).forEach(Listening::close);
    List.copyOf(attempts).forEach(TcpAttempt::abandon);
    List.copyOf(links).forEach(TcpLink::close);
    // Sends as much as the sockets take now, without waiting for slow readers.
    for (int i = 0; i < STEPS_TO_CLOSE && loop.step() > 0; i++) {}
    List.copyOf(links).forEach(TcpLink::cutShort);
    closed = true;
    loop.destroy();
    batches.release();
    receiveBuffer.release();
  }
}
