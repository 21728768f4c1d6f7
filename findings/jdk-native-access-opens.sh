#!/usr/bin/env bash
# JDK 25 without --enable-native-access, on the class path: Module.isNativeAccessEnabled() says false, until anyone's library makes its
# first restricted call. From then on it says true to every library, and no other is warned of: what a library chooses by that answer,
# such as Netty's native epoll, hangs on who came first.
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
cat >"$work/WhoCameFirst.java" <<'JAVA'
import io.netty.channel.epoll.Epoll;
import java.lang.foreign.MemorySegment;

class WhoCameFirst {
  public static void main(String[] arguments) {
    Module netty = Epoll.class.getModule(); // the class is not initialized by this
    System.out.print("before " + netty.isNativeAccessEnabled());
    MemorySegment other = MemorySegment.NULL.reinterpret(1); // restricted; what another library may do
    System.out.println(", after " + netty.isNativeAccessEnabled() + "; Netty's library loads: " + Epoll.isAvailable() + "; " + other.byteSize());
  }
}
JAVA
seen=$("$JAVA_HOME/bin/java" -cp "$work/*" "$work/WhoCameFirst.java" 2>"$work/errors")
warnings=$(grep -c 'restricted method in' "$work/errors" || true)
echo "Netty $netty, $("$JAVA_HOME/bin/java" --version | head -1)"
echo "$seen; restricted methods warned of: $warnings"
[[ $seen == "before false, after true; Netty's library loads: true; 1" && $warnings == 1 ]] || { echo "CHANGED"; exit 1; }
