package io.verbena.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.Native;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.Unix;
import io.netty.util.internal.NativeLibraryLoader;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Netty's way to wait for sockets.
 *
 * @param name {@code "epoll"} or {@code "nio"}
 * @param why the reason of the choice
 */
record Transport(
    String name,
    String why,
    Supplier<IoHandlerFactory> handlers,
    Supplier<SocketChannel> sockets,
    Supplier<ServerSocketChannel> serverSockets) {

  /**
   * Returns epoll if it loads and may be loaded without a warning, otherwise the JDK's selectors.
   */
  static Transport best() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return nio("this is not Linux");
    }
    if (!nativeAccessEnabled()) {
      return nio("native access is not enabled for Netty's module; see --enable-native-access");
    }
    if (!Epoll.isAvailable()) {
      return nio("Netty's native library did not load: " + Epoll.unavailabilityCause());
    }
    try {
      Native.newTimerFd().close();
    } catch (ChannelException | IOException e) { // a sandbox may allow epoll, and no timers
      return nio("the system refuses what native epoll needs: " + Thrown.reason(e));
    }
    return epoll();
  }

  static Transport nio(String why) {
    return new Transport(
        "nio", why, () -> NioHandler::of, NioSockets.Socket::new, NioSockets.ServerSocket::new);
  }

  static Transport epoll() {
    return new Transport(
        "epoll",
        "the fastest there is",
        EpollIoHandler::newFactory,
        EpollSocketChannel::new,
        EpollServerSocketChannel::new);
  }

  /**
   * Returns whether the JVM lets Netty load its library silently. Without a flag or manifest entry
   * that allows it, the JVM prints a warning to users who have done nothing wrong, and later JVMs
   * will refuse. Naming a class, as here, does not load the library yet.
   */
  static boolean nativeAccessEnabled() {
    return Stream.of(NativeLibraryLoader.class, Unix.class, Epoll.class)
        .allMatch(type -> type.getModule().isNativeAccessEnabled());
  }

  boolean isEpoll() {
    return name.equals("epoll");
  }

  @Override
  public String toString() {
    return name + " (" + why + ")";
  }
}
