package io.verbena.samples.services;

import java.util.concurrent.CountDownLatch;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper for experiments, which loses everything when it ends: {@code java ... Registry 2181}.
 */
public final class Registry {
  private Registry() {}

  /** Runs until the process is ended. */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: Registry PORT");
      System.exit(2);
    }
    try (TestingServer server = new TestingServer(Integer.parseInt(args[0]))) {
      System.out.println("registry at zookeeper://" + server.getConnectString());
      new CountDownLatch(1).await();
    }
  }
}
