package io.verbena.junit;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Finds resources at either end that a test still holds when it ends. */
final class Leaks {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration STEP = Duration.ofMillis(5);

  private final VerbenaClient client;
  private final VerbenaServer server;
  private final CallsUnderWay calls;

  Leaks(VerbenaClient client, VerbenaServer server, CallsUnderWay calls) {
    this.client = client;
    this.server = server;
    this.calls = calls;
  }

  /**
   * Waits, because calls that have just ended return their resources a moment later.
   *
   * @param meanwhile run repeatedly while waiting
   */
  void await(Runnable meanwhile) {
    long began = System.nanoTime();
    while (!held().isEmpty()) {
      if (System.nanoTime() - began > PATIENCE.toNanos()) {
        throw new AssertionError(message());
      }
      meanwhile.run();
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while this was still in use: " + held(), e);
      }
    }
  }

  private String message() {
    return "%d s after the test, this is still in use: %s. Wait for calls and handlers, close received buffers, and end streams: read them to their end, close their iterators, or cancel their subscriptions."
        .formatted(PATIENCE.toSeconds(), String.join("; ", held()));
  }

  private List<String> held() {
    List<String> held = new ArrayList<>();
    calls.calls().forEach(method -> held.add("the client waits for " + method));
    calls.handlers().forEach(method -> held.add("the server's handler of " + method + " runs"));
    held.addAll(calls.streams());
    add(held, "client", client.slotsInUse(), client.sharedBytesInUse(), client.bulkStats());
    add(held, "server", server.slotsInUse(), server.sharedBytesInUse(), server.bulkStats());
    return held;
  }

  private static void add(
      List<String> held, String end, int slots, long sharedBytes, BulkStats bulk) {
    long bulkBytes = bulk.memoryInUse();
    if (slots != 0) {
      held.add("the " + end + " has " + slots + " message slots in use");
    }
    if (sharedBytes != 0) {
      held.add("the " + end + " has " + sharedBytes + " bytes of long messages and large values");
    }
    if (bulkBytes != 0) {
      held.add("the " + end + " has " + bulkBytes + " bytes of memory for large objects");
    }
  }
}
