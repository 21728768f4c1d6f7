#!/usr/bin/env bash
# JUCX 1.12.1 over UCX 1.13.1: a tagged receive that is posted before its message tells the message's length. One that is posted
# after the message has come completes at once, with the bytes in place, and says 0 bytes: to its callback, and ever after.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
ucx=1.13.1-1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq "libucx0=$ucx" libibverbs1 librdmacm1 libnl-3-200 libnl-route-3-200 libnuma1 2>/dev/null && for deb in *.deb; do dpkg-deb -x "$deb" root; done)
libraries=$(find "$work/root" -type d -name '*-linux-gnu' | tr '\n' ':')
cat >"$work/Late.java" <<'JAVA'
import static org.openucx.jucx.ucs.UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

class Late {
  static long told;

  static UcpRequest receive(UcpWorker worker, ByteBuffer into) {
    UcxCallback callback = new UcxCallback() {
      public void onSuccess(UcpRequest request) {
        told = request.getRecvSize();
      }
    };
    return worker.recvTaggedNonBlocking(UcxUtils.getAddress(into), into.capacity(), 5, -1L, callback, UCS_MEMORY_TYPE_HOST);
  }

  static void work(UcpWorker... workers) throws Exception {
    for (long until = System.nanoTime() + 300_000_000; System.nanoTime() < until; ) {
      for (UcpWorker worker : workers) {
        worker.progress();
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    UcpContext context = new UcpContext(new UcpParams().requestTagFeature());
    UcpWorker from = context.newWorker(new UcpWorkerParams());
    UcpWorker to = context.newWorker(new UcpWorkerParams());
    UcpEndpoint peer = from.newEndpoint(new UcpEndpointParams().setUcpAddress(to.getAddress()));
    ByteBuffer message = ByteBuffer.allocateDirect(64);
    for (boolean isLate : new boolean[] {false, true}) {
      ByteBuffer into = ByteBuffer.allocateDirect(4096);
      UcpRequest received = isLate ? null : receive(to, into);
      message.putInt(60, 42);
      peer.sendTaggedNonBlocking(UcxUtils.getAddress(message), 64, 5, new UcxCallback(), UCS_MEMORY_TYPE_HOST);
      work(from, to);
      received = isLate ? receive(to, into) : received;
      work(from, to);
      System.out.println((isLate ? "posted after" : "posted before") + " the message: completed " + received.isCompleted() + ", its last bytes "
          + into.getInt(60) + ", callback was told " + told + ", request says " + received.getRecvSize());
    }
    System.exit(0);
  }
}
JAVA
jucx=1.12.1
mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=org.openucx:jucx:$jucx" "-DoutputDirectory=$work"
seen=$(LD_LIBRARY_PATH=$libraries UCX_TLS=self,posix "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$work/*" "$work/Late.java" 2>/dev/null)
echo "JUCX $jucx, UCX $ucx, $("$JAVA_HOME/bin/java" --version | head -1)"
echo "$seen"
[[ $seen == "posted before the message: completed true, its last bytes 42, callback was told 64, request says 64"$'\n'"posted after the message: completed true, its last bytes 42, callback was told 0, request says 0" ]] \
  || { echo "CHANGED"; exit 1; }
