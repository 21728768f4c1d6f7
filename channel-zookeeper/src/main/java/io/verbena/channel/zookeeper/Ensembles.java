package io.verbena.channel.zookeeper;

import io.verbena.link.runtime.OwnThreads;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

/**
 * The clients of ensembles in this process: one for each, as long as somebody has it. Safe for use
 * by any thread.
 */
final class Ensembles {
  /** After so long without a word, ZooKeeper takes what a process registered for gone. */
  private static final int SESSION_MILLIS = 15_000;

  private static final int CONNECT_MILLIS = 5_000;

  private static final Map<String, Ensembles> ALL = new HashMap<>();

  private final CuratorFramework client;
  private int users;

  private Ensembles(CuratorFramework client) {
    this.client = client;
  }

  /** Makes the use of a client, when it is needed. Does not wait for ZooKeeper. */
  @FunctionalInterface
  interface Source {
    Use begin();
  }

  /**
   * One that uses a client.
   *
   * @param end when it needs it no more; again does nothing. Closing what nobody uses any more may
   *     take a second
   */
  record Use(CuratorFramework client, Runnable end) {}

  /** A user's own client, which is started and closed elsewhere. */
  static Source given(CuratorFramework client) {
    return () -> new Use(client, () -> {});
  }

  /** A client that all have together who name the ensemble alike. */
  static Source shared(ZooKeeperTarget target) {
    return () -> use(target.ensemble());
  }

  private static Use use(String ensemble) {
    Ensembles found;
    synchronized (ALL) {
      found = ALL.computeIfAbsent(ensemble, Ensembles::connect);
      found.users++;
    }
    AtomicBoolean ended = new AtomicBoolean();
    return new Use(
        found.client,
        () -> {
          if (ended.compareAndSet(false, true)) {
            found.leave(ensemble);
          }
        });
  }

  private static Ensembles connect(String ensemble) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(ensemble)
            .sessionTimeoutMs(SESSION_MILLIS)
            .connectionTimeoutMs(CONNECT_MILLIS)
            .retryPolicy(new BoundedExponentialBackoffRetry(100, 2_000, 5))
            // Curator's own outlives its client.
            .runSafeService(OwnThreads.pool("verbena-zookeeper-listeners", 1))
            .build();
    try {
      client.start();
    } catch (Throwable e) {
      client.close(); // it may have begun some of its threads
      throw e;
    }
    return new Ensembles(client);
  }

  private void leave(String ensemble) {
    synchronized (ALL) {
      users--;
      if (users > 0) {
        return;
      }
      ALL.remove(ensemble, this);
    }
    client.close();
  }
}
