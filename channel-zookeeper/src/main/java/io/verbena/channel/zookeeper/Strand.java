package io.verbena.channel.zookeeper;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One virtual thread that does one thing after the other. What comes after its end is left out. */
final class Strand {
  private Strand() {}

  static ThreadPoolExecutor begin(String name) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        Thread.ofVirtual().name(name).factory(),
        new ThreadPoolExecutor.DiscardPolicy());
  }
}
