package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionState;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that are watched, and those that watch, come and go. */
@Timeout(60)
class WatchersTest {
  private static final int SECONDS = 30;
  private static final SessionLimits LIMITS =
      SessionLimits.DEFAULT.withResumeWindow(Duration.ofMillis(500));

  /** The contract that watchers call. */
  @RpcService(name = "tower.v1")
  interface Tower {
    @RpcMethod(id = 1)
    void watch();
  }

  /** How they are told. */
  @RpcService(name = "watcher.v1")
  interface Watcher {
    @RpcMethod(id = 1, oneway = true)
    void seen(String what);
  }

  /** Tells whoever watches at once that it does, and forgets those that are gone. */
  private static final class PlainTower implements Tower, SessionListener {
    final Set<Session> watchers = ConcurrentHashMap.newKeySet();
    final BlockingQueue<String> gone = new LinkedBlockingQueue<>();

    @Override
    public void watch() {
      Session watcher = CallContext.current().session();
      watchers.add(watcher);
      watcher.listen(this);
      WatchersTest_WatcherRpc.client(watcher).seen("watching");
    }

    @Override
    public void ended(Session session, RpcStatus status, String reason) {
      watchers.remove(session);
      gone.add(status + ": " + reason);
    }
  }

  private static VerbenaServer serve(String listen, Tower tower) {
    return VerbenaServer.builder()
        .listen(listen)
        .limits(LIMITS)
        .serve(WatchersTest_TowerRpc.bind(tower))
        .closeOnShutdown()
        .start();
  }

  /** Watches whenever a session opens. */
  private static Session watch(VerbenaClient client, String address, Watcher watcher) {
    Session session = client.session(address);
    session.serve(WatchersTest_WatcherRpc.bind(watcher));
    session.listen(
        new SessionListener() {
          @Override
          public void opened(Session opened) {
            WatchersTest_TowerRpc.client(opened).watch();
          }
        });
    return session;
  }

  @Test
  @Tag("long")
  void aServerForgetsAWatcherWhoseProcessWasKilled() throws Exception {
    PlainTower tower = new PlainTower();
    try (VerbenaServer server = serve("127.0.0.1:0", tower);
        JavaProcess watcher =
            JavaProcess.start(WatcherProcess.class, server.address().toString())) {
      assertThat(watcher.line()).isEqualTo("watching");
      assertThat(tower.watchers).hasSize(1);
      watcher.kill();
      assertThat(tower.gone.poll(SECONDS, TimeUnit.SECONDS)).startsWith("UNAVAILABLE: ");
      assertThat(tower.watchers).isEmpty();
    }
  }

  @Test
  @Tag("long")
  void aClientWatchesAgainAtAServerThatWasRestarted() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (VerbenaClient client = VerbenaClient.builder().limits(LIMITS).keepOpen().build()) {
      String address;
      Session session;
      try (JavaProcess first = JavaProcess.start(TowerProcess.class, "127.0.0.1:0")) {
        address = first.line();
        session = watch(client, address, seen::add);
        assertThat(seen.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("watching");
        first.kill();
      }
      try (JavaProcess second = JavaProcess.start(TowerProcess.class, address)) {
        assertThat(second.line()).isEqualTo(address);
        assertThat(seen.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("watching");
        assertThat(session.state()).isEqualTo(SessionState.OPEN);
      }
    }
  }

  /** On threads of their own: the session's calls go on, and so do other sessions' listeners. */
  @Test
  void aListenerThatBlocksHoldsUpNobodyElse() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    BlockingQueue<Session> opened = new LinkedBlockingQueue<>();
    PlainTower tower = new PlainTower();
    SessionListener blocking =
        new SessionListener() {
          @Override
          public void opened(Session session) {
            opened.add(session);
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    try (VerbenaServer server = serve("127.0.0.1:0", tower);
        VerbenaClient client =
            VerbenaClient.builder().limits(LIMITS).sessionListener(blocking).build()) {
      BlockingQueue<String> seen = new LinkedBlockingQueue<>();
      for (int i = 0; i < 2; i++) {
        Session session = client.connect(server.address().toString());
        session.serve(WatchersTest_WatcherRpc.bind(seen::add));
        WatchersTest_TowerRpc.client(session).watch();
        assertThat(seen.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("watching");
        assertThat(opened.poll(SECONDS, TimeUnit.SECONDS)).isSameAs(session);
      }
      release.countDown();
    }
  }

  /** A client that watches. */
  static final class WatcherProcess {
    private WatcherProcess() {}

    public static void main(String[] args) throws IOException {
      try (VerbenaClient client = VerbenaClient.builder().limits(LIMITS).keepOpen().build()) {
        Session _ = watch(client, args[0], System.out::println);
        JavaProcess.endWithParent();
      }
    }
  }

  /** A server that is watched. */
  static final class TowerProcess {
    private TowerProcess() {}

    public static void main(String[] args) throws IOException {
      try (VerbenaServer server = serve(args[0], new PlainTower())) {
        System.out.println(server.address());
        JavaProcess.endWithParent();
      }
    }
  }
}
