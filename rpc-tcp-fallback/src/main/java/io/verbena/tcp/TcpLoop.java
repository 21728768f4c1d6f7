package io.verbena.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.ThreadExecutorMap;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Netty's loop for the sockets of one driver. One thread at a time steps it, and another may take
 * it over, which Netty's {@link io.netty.channel.ManualIoEventLoop} does not allow.
 *
 * <p>The first thread is the loop's own. Others leave no thread-local value of Netty behind.
 */
final class TcpLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Promise<Void> end = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
  private final IoHandler sockets;
  private final Waiting waiting;
  private @Nullable Thread own;
  private volatile @Nullable Thread stepper;
  private boolean begun;

  /** Whether the stepper had no thread-local value of Netty before. */
  private boolean leavesNothing;

  private volatile boolean closing;

  private long nextWaitNanos = Long.MAX_VALUE;

  /**
   * Makes a loop without a thread.
   *
   * @param mayWait asked before each wait
   */
  TcpLoop(IoHandlerFactory factory, BooleanSupplier mayWait) {
    this.waiting = new Waiting(mayWait);
    this.sockets = factory.newHandler(this);
  }

  // ---- its thread ----

  /** The calling thread steps the loop from now on. */
  void takeOver() {
    Thread taking = Thread.currentThread();
    if (own == null) {
      own = taking;
    }
    leavesNothing = taking != own && FastThreadLocal.size() == 0;
    stepper = taking;
  }

  /** The calling thread steps the loop no longer. */
  void letGo() {
    stepper = null;
    if (leavesNothing && FastThreadLocal.size() > 0) {
      FastThreadLocal.removeAll();
    }
  }

  @Override
  public boolean inEventLoop(@Nullable Thread thread) {
    return thread == stepper;
  }

  // ---- its steps ----

  /** Handles what is ready. Returns the number of events and tasks. */
  int step() {
    waiting.mostNanos = 0;
    return run();
  }

  /** Waits for events, at most for a time, and handles them. */
  int await(long nanos) {
    waiting.mostNanos = Math.min(nanos, nextWaitNanos);
    nextWaitNanos = Long.MAX_VALUE;
    return run();
  }

  /** Limits the next wait to a time; 0 for no limit. */
  void waitAtMost(long nanos) {
    if (nanos > 0) {
      nextWaitNanos = Math.min(nextWaitNanos, nanos);
    }
  }

  boolean isOnItsOwnThread() {
    return stepper == own;
  }

  private int run() {
    if (!begun) {
      begun = true;
      sockets.initialize();
    }
    if (!isOnItsOwnThread()) {
      return sockets.run(waiting) + runTasks();
    }
    // The pool of buffers keeps a cache for threads that have an executor.
    EventExecutor before = ThreadExecutorMap.setCurrentExecutor(this);
    try {
      return sockets.run(waiting) + runTasks();
    } finally {
      ThreadExecutorMap.setCurrentExecutor(before);
    }
  }

  private int runTasks() {
    boolean _ = fetchFromScheduledTaskQueue(tasks);
    int done = 0;
    Runnable task;
    while ((task = tasks.poll()) != null) {
      safeExecute(task);
      done++;
    }
    return done;
  }

  /** What a socket handler asks before it waits. */
  private final class Waiting implements IoHandlerContext {
    private final BooleanSupplier mayWait;
    private long mostNanos;

    Waiting(BooleanSupplier mayWait) {
      this.mayWait = mayWait;
    }

    @Override
    public boolean canBlock() {
      return mostNanos > 0 && mayWait.getAsBoolean() && tasks.isEmpty() && !hasScheduledTasks();
    }

    @Override
    public long delayNanos(long nowNanos) {
      return Math.min(mostNanos, TcpLoop.this.delayNanos(nowNanos, mostNanos));
    }

    @Override
    public long deadlineNanos() {
      long next = nextScheduledTaskDeadlineNanos();
      long last = ticker().nanoTime() + mostNanos;
      return next == -1 ? last : Math.min(next, last);
    }
  }

  /** Ends the present or next wait. Safe for use by any thread. */
  void wakeup() {
    if (!closing) {
      sockets.wakeup();
    }
  }

  /** Closes every socket. Later tasks are rejected. */
  void destroy() {
    runTasks();
    sockets.prepareToDestroy();
    cancelScheduledTasks();
    runTasks();
    closing = true;
    sockets.destroy();
    while (runTasks() > 0) {}
    Promise<Void> _ = end.setSuccess(null);
  }

  // ---- for Netty ----

  @Override
  public IoEventLoop next() {
    return this;
  }

  @Override
  public @Nullable IoEventLoopGroup parent() {
    return null;
  }

  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> registered = newPromise();
    if (inEventLoop()) {
      register(handle, registered);
    } else {
      execute(() -> register(handle, registered));
    }
    return registered;
  }

  /** Registers a socket at once. On the loop. */
  IoRegistration registered(IoHandle handle) throws IOException {
    try {
      return sockets.register(handle);
    } catch (Exception e) {
      throw new IOException("a socket cannot be watched: " + Thrown.words(e), e);
    }
  }

  private void register(IoHandle handle, Promise<IoRegistration> registered) {
    try {
      registered.setSuccess(sockets.register(handle));
    } catch (Exception e) {
      registered.setFailure(e);
    }
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  @Deprecated
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handle) {
    return sockets.isCompatible(handle);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handler) {
    return sockets.getClass().equals(handler);
  }

  @Override
  public void execute(Runnable task) {
    boolean inside = inEventLoop();
    tasks.add(task);
    if (closing && (inside ? end.isDone() : true) && tasks.remove(task)) {
      throw new RejectedExecutionException("the event loop is closed");
    }
    if (!inside) {
      wakeup();
    }
  }

  @Override
  public boolean isShuttingDown() {
    return closing;
  }

  @Override
  public boolean isShutdown() {
    return closing;
  }

  @Override
  public boolean isTerminated() {
    return end.isDone();
  }

  @Override
  public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
    return end.await(time, unit);
  }

  @Override
  public Future<?> terminationFuture() {
    return end;
  }

  /** Does nothing: the driver closes its loop. */
  @Override
  public Future<?> shutdownGracefully(long quiet, long most, TimeUnit unit) {
    return end;
  }

  @Override
  @Deprecated
  public void shutdown() {}
}
