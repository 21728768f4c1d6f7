package io.verbena.cli.demo;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Transfer;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * The client side of the demonstration. Each step makes calls, checks the results and prints them.
 */
final class DemoCalls {
  private static final int WATERINGS = 5;
  private static final int ASYNC_CALLS = 1_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Session session;
  private final PrintWriter out;
  private final Garden garden;
  private final GardenRpc.Async async;

  DemoCalls(Session session, PrintWriter out) {
    this.session = session;
    this.out = out;
    this.garden = GardenRpc.client(session);
    this.async = GardenRpc.async(session);
  }

  void run() {
    typedCall();
    declaredException();
    asyncCalls();
    oneWay();
    callback();
    deadline();
    largeObject();
  }

  private void typedCall() {
    try {
      Garden.Plant plant = garden.find("verbena");
      check(plant.name().equals("verbena"), "the server returned another plant: " + plant);
      say("typed call", "find(\"verbena\")", plant);
    } catch (NoSuchPlant e) {
      throw new DemoException("the server does not know the plant: " + e.getMessage(), e);
    }
  }

  private void declaredException() {
    try {
      throw new DemoException(
          "the server returned a plant that does not exist: " + garden.find("triffid"));
    } catch (NoSuchPlant e) {
      say("exception", "find(\"triffid\")", "NoSuchPlant, as declared: " + e.getMessage());
    }
  }

  private void asyncCalls() {
    long start = System.nanoTime();
    List<CompletableFuture<List<String>>> calls =
        IntStream.range(0, ASYNC_CALLS).mapToObj(i -> async.names().toCompletableFuture()).toList();
    long answered = calls.stream().filter(call -> call.join().contains("rose")).count();
    long millis = (System.nanoTime() - start) / 1_000_000;
    check(answered == ASYNC_CALLS, answered + " of " + ASYNC_CALLS + " calls were answered");
    say("async", ASYNC_CALLS + " x names()", answered + " answers in " + millis + " ms, cold");
  }

  private void oneWay() {
    for (int i = 0; i < WATERINGS; i++) {
      garden.water("fern");
    }
    // One-way calls leave in order, but their handlers run in parallel. So poll until all are done.
    int counted = poll(garden::waterings, WATERINGS);
    say("one-way", WATERINGS + " x water(\"fern\")", "the server counts " + counted);
  }

  private void callback() {
    AtomicInteger looks = new AtomicInteger();
    session.serve(
        GardenerRpc.bind(
            plant -> {
              looks.incrementAndGet();
              return "a fine " + plant.name();
            }));
    int answers = garden.tour();
    check(
        answers == looks.get(),
        "the server counts " + answers + " callbacks, this process " + looks);
    say("callback", "tour()", "the server called this process " + looks + " times meanwhile");
  }

  private void deadline() {
    long start = System.nanoTime();
    try {
      throw new DemoException("the server returned a flower: " + garden.awaitFlower());
    } catch (RpcException e) {
      long millis = (System.nanoTime() - start) / 1_000_000;
      check(
          e.status() == RpcStatus.DEADLINE_EXCEEDED,
          "the call failed for another reason: " + e.getMessage());
      poll(
          () -> {
            Garden.Waits waits = garden.waits();
            return waits.begun() - waits.givenUp();
          },
          0);
      // On a busy machine the deadline may pass before.
      String handler = garden.waits().begun() == 1 ? "was interrupted" : "did not begin";
      say(
          "deadline",
          "awaitFlower()",
          e.status() + " after " + millis + " ms, and its handler " + handler);
    }
  }

  /** Moves the picture from the server's memory into this process. RDMA makes no copy. */
  private void largeObject() {
    Garden.Picture picture = garden.picture();
    long bytes = picture.object().length();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bytes);
      Transfer transfer = session.objects().fetch(picture.object(), Landing.of(memory));
      transfer.get().close();
      CRC32C checksum = new CRC32C();
      checksum.update(memory.asByteBuffer());
      check(
          (int) checksum.getValue() == picture.crc32c(),
          "the picture differs from the one that was sent");
      double rate = transfer.progress().bytesPerSecond() / (1 << 20);
      say(
          "large object",
          "fetch(picture)",
          "%d MiB at %.0f MiB/s, CRC32C %08x at both ends"
              .formatted(bytes >> 20, rate, picture.crc32c()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", e);
    }
  }

  private static int poll(IntSupplier count, int wanted) {
    long until = System.nanoTime() + PATIENCE_NANOS;
    int counted = count.getAsInt();
    while (counted != wanted && System.nanoTime() - until < 0) {
      counted = count.getAsInt();
    }
    check(counted == wanted, "the server counts " + counted + ", not " + wanted);
    return counted;
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new DemoException(otherwise);
    }
  }

  private void say(String what, String call, Object outcome) {
    out.printf("%-12s %-20s -> %s%n", what, call, outcome);
    out.flush();
  }
}
