package io.verbena.tcp;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;

/**
 * Netty's handler of the JDK's selectors, with waits of its own for threads of users. Netty's wait
 * clears the interrupt of a thread, which a caller needs to see.
 */
final class NioHandler implements IoHandler {
  private final TcpLoop loop;
  private final OneSelector opened = new OneSelector();
  private final IoHandler netty;

  /** Makes the handler of a {@link TcpLoop}. */
  static IoHandler of(ThreadAwareExecutor loop) {
    return new NioHandler((TcpLoop) loop);
  }

  private NioHandler(TcpLoop loop) {
    this.loop = loop;
    this.netty = NioIoHandler.newFactory(opened).newHandler(loop);
  }

  @Override
  public int run(IoHandlerContext context) {
    if (loop.isOnItsOwnThread() || !context.canBlock()) {
      return netty.run(context);
    }
    long nanos = context.delayNanos(System.nanoTime());
    try {
      // Where Netty may, it replaces the set of ready keys, which takes each key once: none is
      // added.
      int _ =
          opened.selector.select(ready -> {}, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    } catch (IOException e) {
      // Netty's handler opens another selector when it meets the same.
    }
    return netty.run(Waited.INSTANCE);
  }

  /** Lets Netty select what is ready, and clear its note of wake-ups, as after a wait. */
  private enum Waited implements IoHandlerContext {
    INSTANCE;

    @Override
    public boolean canBlock() {
      return true;
    }

    @Override
    public long delayNanos(long now) {
      return 0;
    }

    @Override
    public long deadlineNanos() {
      return System.nanoTime();
    }
  }

  /** The JDK's provider, which knows the selector that it has opened last. */
  private static final class OneSelector extends SelectorProvider {
    private static final SelectorProvider JDK = SelectorProvider.provider();

    /** Set when Netty's handler is made, and when it replaces a broken one. */
    @SuppressWarnings("NullAway.Init")
    Selector selector;

    @Override
    public AbstractSelector openSelector() throws IOException {
      AbstractSelector made = JDK.openSelector();
      selector = made;
      return made;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
      return JDK.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
      return JDK.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
      return JDK.openPipe();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
      return JDK.openServerSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
      return JDK.openSocketChannel();
    }
  }

  // ---- as Netty's ----

  @Override
  public void initialize() {
    netty.initialize();
  }

  @Override
  public void prepareToDestroy() {
    netty.prepareToDestroy();
  }

  @Override
  public void destroy() {
    netty.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return netty.register(handle);
  }

  @Override
  public void wakeup() {
    netty.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handle) {
    return netty.isCompatible(handle);
  }
}
