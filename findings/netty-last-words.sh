#!/usr/bin/env bash
# Netty 4.2.18 on Linux: a peer sends its last message and closes. If this end writes before it reads, the write fails, and Netty closes the
# channel without reading: the message, which the socket has, is never handed over. Plain sockets of the JDK still read it. With
# AUTO_CLOSE false Netty reads it, too.
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
cat >"$work/LastWords.java" <<'JAVA'
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class LastWords {
  static final byte[] WORDS = "last words".getBytes(StandardCharsets.US_ASCII);

  public static void main(String[] arguments) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String heard = arguments[0].equals("jdk") ? jdk(server) : netty(server, arguments[0], Boolean.parseBoolean(arguments[1]));
      System.out.println("heard: " + (heard.isEmpty() ? "nothing" : heard));
    }
  }

  /** Sends the last words, and closes with unread bytes, as a server does that shuts down. */
  static void bye(Socket peer) throws IOException, InterruptedException {
    while (peer.getInputStream().available() == 0) {
      Thread.sleep(1);
    }
    peer.getOutputStream().write(WORDS);
    peer.close();
  }

  static String jdk(ServerSocket server) throws Exception {
    try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
      client.getOutputStream().write('x');
      bye(server.accept());
      try {
        client.getOutputStream().write('y');
        client.getOutputStream().write('z');
        return "no failure";
      } catch (IOException e) {
        return new String(client.getInputStream().readNBytes(WORDS.length), StandardCharsets.US_ASCII);
      }
    }
  }

  static String netty(ServerSocket server, String transport, boolean autoClose) throws Exception {
    boolean epoll = transport.equals("epoll");
    StringBuffer heard = new StringBuffer();
    CountDownLatch over = new CountDownLatch(1);
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    try {
      Channel client = new Bootstrap().group(group).channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
          .option(ChannelOption.AUTO_CLOSE, autoClose)
          .handler(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
              heard.append(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
              ((ByteBuf) message).release();
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
              over.countDown();
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {}
          }).connect(server.getInetAddress(), server.getLocalPort()).sync().channel();
      Socket peer = server.accept();
      client.writeAndFlush(Unpooled.copiedBuffer("x", StandardCharsets.US_ASCII)).sync();
      client.eventLoop().submit(() -> {
        bye(peer); // the loop is busy meanwhile, and writes before it reads
        for (String late : new String[] {"y", "z"}) {
          client.writeAndFlush(Unpooled.copiedBuffer(late, StandardCharsets.US_ASCII));
        }
        return null;
      }).sync();
      if (!over.await(10, TimeUnit.SECONDS)) {
        throw new AssertionError("the channel does not end");
      }
      return heard.toString();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }
}
JAVA
run() { "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$work/*" "$work/LastWords.java" "$@" 2>/dev/null; }
jdk=$(run jdk) nio=$(run nio true) epoll=$(run epoll true) nio_open=$(run nio false) epoll_open=$(run epoll false)
echo "Netty $netty, $("$JAVA_HOME/bin/java" --version | head -1), $(uname -sr)"
printf '%s\n' "jdk: $jdk" "nio: $nio" "epoll: $epoll" "nio, AUTO_CLOSE false: $nio_open" "epoll, AUTO_CLOSE false: $epoll_open"
[[ $jdk == "heard: last words" ]] || { echo "CHANGED: jdk"; exit 1; }
[[ $nio == "heard: nothing" && $epoll == "heard: nothing" ]] || { echo "CHANGED: Netty"; exit 1; }
[[ $nio_open == "heard: last words" && $epoll_open == "heard: last words" ]] || { echo "CHANGED: AUTO_CLOSE"; exit 1; }
