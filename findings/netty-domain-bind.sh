#!/usr/bin/env bash
# Netty 4.2.18 on Linux: the two transports bind a Unix domain socket in different ways. The JDK's (nio) refuses a path that exists. Native
# epoll removes what is there first, also the socket of a server that is running: that server hears nothing, and new clients reach the other.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
netty=4.2.18.Final
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for jar in netty-buffer netty-common netty-resolver netty-transport netty-transport-classes-epoll netty-transport-native-unix-common; do
  mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=io.netty:$jar:$netty" "-DoutputDirectory=$work"
done
mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  "-Dartifact=io.netty:netty-transport-native-epoll:$netty:jar:linux-$(uname -m | sed s/aarch64/aarch_64/)" "-DoutputDirectory=$work"
cat >"$work/TwoServers.java" <<'JAVA'
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

class TwoServers {
  static final BlockingQueue<String> ACCEPTED = new LinkedBlockingQueue<>();

  public static void main(String[] arguments) throws Exception {
    Path path = Path.of(arguments[1]);
    boolean epoll = arguments[0].equals("epoll");
    IoHandlerFactory loops = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    Class<? extends ServerChannel> type = epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
    SocketAddress address = epoll ? new DomainSocketAddress(path.toFile()) : UnixDomainSocketAddress.of(path);
    MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, loops);
    try {
      Channel first = bind(group, type, address, "first");
      System.out.print("the first server listens; ");
      try {
        Channel second = bind(group, type, address, "second");
        System.out.print("the second binds the same path; ");
      } catch (Exception e) {
        System.out.print("the second fails with " + e.getClass().getSimpleName() + "; ");
      }
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        System.out.println("a client reaches the " + ACCEPTED.poll(10, TimeUnit.SECONDS) + "; the first is open: " + first.isOpen());
      }
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  static Channel bind(MultiThreadIoEventLoopGroup group, Class<? extends ServerChannel> type, SocketAddress address, String name)
      throws Exception {
    return new ServerBootstrap().group(group).channel(type).childHandler(new ChannelInboundHandlerAdapter() {
      @Override
      public void handlerAdded(ChannelHandlerContext context) {
        ACCEPTED.add(name);
      }
    }).bind(address).sync().channel();
  }
}
JAVA
run() { # TRANSPORT
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$work/*" "$work/TwoServers.java" "$1" "$work/$1.sock" 2>/dev/null
}
nio=$(run nio)
epoll=$(run epoll)
echo "Netty $netty, $("$JAVA_HOME/bin/java" --version | head -1), $(uname -sr)"
echo "nio:   $nio"
echo "epoll: $epoll"
[[ $nio == *"the second fails with BindException; a client reaches the first;"* ]] || { echo "CHANGED: nio"; exit 1; }
[[ $epoll == *"the second binds the same path; a client reaches the second; the first is open: true" ]] || { echo "CHANGED: epoll"; exit 1; }
