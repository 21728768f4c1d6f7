#!/usr/bin/env bash
# Netty 4.2.18 on JDK 25: release() of an unpooled direct buffer gives its memory back only where native access is enabled. Elsewhere the
# memory waits for the garbage collector, and the next allocation fails although every buffer before it was released.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
netty=4.2.18.Final
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for jar in netty-buffer netty-common; do
  mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=io.netty:$jar:$netty" "-DoutputDirectory=$work"
done
cat >"$work/Released.java" <<'JAVA'
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

class Released {
  public static void main(String[] arguments) {
    int done = 0;
    try {
      while (done < 1000) {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        if (!buffer.release()) {
          throw new IllegalStateException("still in use");
        }
        done++;
      }
    } catch (OutOfMemoryError e) {
      System.out.print("OutOfMemoryError: ");
    }
    long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    System.out.println(done + " buffers of 1 MiB were allocated and released; the JDK's pool 'direct' has " + (direct >> 20) + " MiB");
  }
}
JAVA
run() { # FLAG...
  "$JAVA_HOME/bin/java" "$@" -XX:MaxDirectMemorySize=40m -XX:+DisableExplicitGC -cp "$work/netty-buffer-$netty.jar:$work/netty-common-$netty.jar" \
    "$work/Released.java" 2>/dev/null
}
without=$(run)
with=$(run --enable-native-access=ALL-UNNAMED)
echo "Netty $netty, $("$JAVA_HOME/bin/java" --version | head -1), -XX:MaxDirectMemorySize=40m -XX:+DisableExplicitGC"
echo "without native access: $without"
echo "with native access:    $with"
[[ $without == "OutOfMemoryError: 40 buffers"*"has 40 MiB" ]] || { echo "CHANGED: without native access"; exit 1; }
[[ $with == "1000 buffers"*"has 0 MiB" ]] || { echo "CHANGED: with native access"; exit 1; }
