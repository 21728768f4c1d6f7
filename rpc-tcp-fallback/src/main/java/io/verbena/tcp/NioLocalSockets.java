package io.verbena.tcp;

import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.nio.NioSelectableChannelIoHandle;
import io.verbena.link.runtime.ChannelSockets;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** Local sockets that the JDK's selector of a driver watches. */
final class NioLocalSockets extends ChannelSockets {
  private final TcpLoop loop;

  NioLocalSockets(TcpLoop loop) {
    this.loop = loop;
  }

  @Override
  protected Watch register(SelectableChannel channel, int operation) throws IOException {
    Handle handle = new Handle(channel, operation);
    handle.registration = loop.registered(handle);
    return handle;
  }

  @Override
  public boolean arm(long nanos) {
    loop.waitAtMost(nanos);
    return true;
  }

  private static final class Handle extends NioSelectableChannelIoHandle<SelectableChannel>
      implements Watch {
    private final NioIoOps operation;
    private @Nullable IoRegistration registration;
    private @Nullable Runnable ready;

    Handle(SelectableChannel channel, int operation) {
      super(channel);
      this.operation = NioIoOps.valueOf(operation);
    }

    @Override
    public void begin(Runnable ready) {
      this.ready = ready;
      submit(operation);
    }

    @Override
    public void end() {
      submit(NioIoOps.NONE);
    }

    private void submit(NioIoOps operations) {
      IoRegistration mine = registration;
      if (mine != null && mine.isValid()) {
        long _ = mine.submit(operations);
      }
    }

    @Override
    public void release() {
      IoRegistration mine = registration;
      if (mine != null) {
        boolean _ = mine.cancel();
      }
    }

    @Override
    public void close() throws IOException {
      selectableChannel().close();
    }

    @Override
    protected void handle(SelectableChannel channel, SelectionKey key) {
      Runnable told = ready;
      if (told != null) {
        told.run();
      }
    }
  }
}
