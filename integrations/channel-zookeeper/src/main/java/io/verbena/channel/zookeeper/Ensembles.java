package io.verbena.channel.zookeeper;

import io.verbena.link.runtime.OwnThreads;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

/**
 * The clients of ensembles in this process: one for each ensemble, as long as it is used. Safe for
 * use by any thread.
 */
final class Ensembles {
  /** The time of silence after which ZooKeeper removes a process's nodes. */
  private static final int SESSION_MILLIS = 15_000;

  private static final int CONNECT_MILLIS = 5_000;

  private static final Map<String, Ensembles> ALL = new HashMap<>();

  private final CuratorFramework client;
  private int users;

  private Ensembles(CuratorFramework client) {
    this.client = client;
  }

  /** Provides a client when it is needed. Does not wait for ZooKeeper. */
  @FunctionalInterface
  interface Source {
    Use begin();
  }

  /**
   * The use of a client.
   *
   * @param end ends the use; calling it again does nothing. It may take a second if it closes the
   *     client
   */
  record Use(CuratorFramework client, Runnable end) {}

  /** Provides a user's client, which the user starts and closes. */
  static Source given(CuratorFramework client) {
    return () -> new Use(client, () -> {});
  }

  /** Provides the client of an ensemble. All uses with the same ensemble string share it. */
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
            // Curator's own executor would outlive its client.
            .runSafeService(OwnThreads.rarelyUsed("verbena-zookeeper-listeners", 1))
            .build();
    try {
      client.start();
    } catch (Throwable e) {
      client.close(); // some of its threads may have started
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
