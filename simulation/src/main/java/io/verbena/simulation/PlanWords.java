package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.world.HostSettings;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints a plan as text. */
final class PlanWords {
  private PlanWords() {}

  static void print(Plan plan, PrintWriter out) {
    out.printf(
        "  streams: latency %.2f ms, %,d bytes a second, chunks of %,d bytes%n",
        plan.latencyNanos() / 1e6, plan.rate(), plan.chunkBytes());
    hosts("server", plan.servers(), out);
    hosts("client", plan.clients(), out);
    for (int i = 0; i < plan.sessions().size(); i++) {
      Plan.Between between = plan.sessions().get(i);
      out.printf("  session%d: client%d to server%d%n", i, between.client(), between.server());
    }
    plan.steps().forEach(step -> out.println("  " + of(step)));
  }

  private static void hosts(String name, List<HostSettings> hosts, PrintWriter out) {
    for (int i = 0; i < hosts.size(); i++) {
      HostSettings host = hosts.get(i);
      out.printf(
          "  %s%d: %d handlers at a time, %d wait; %,d bytes for objects; %s%s%n",
          name,
          i,
          host.handlerThreads(),
          host.handlerQueue(),
          host.bulkMemoryBytes(),
          switch (host.upgrades()) {
            case RDMA -> host.rdmaSettings() + " on " + host.device();
            case SHARED_MEMORY -> "shared memory";
            case NONE -> "no better links";
          },
          host.compressFrom() == 0 ? "" : ", compresses from " + host.compressFrom());
      out.printf("    %s%n", host.limits());
    }
  }

  private static String of(Step step) {
    String what =
        switch (step) {
          case Step.Call call ->
              "%s op %d%s%s%s%s"
                  .formatted(
                      call.kind(),
                      call.op(),
                      call.amount() == 0 ? "" : " of " + String.format("%,d", call.amount()),
                      time(", deadline", call.timeout(), 1),
                      time(", cancelled after", call.cancelAfter(), 0),
                      cut(call.cut()));
          case Step.Move move ->
              "%s op %d, %,d bytes into %s%s%s%s%s"
                  .formatted(
                      move.kind(),
                      move.op(),
                      move.length(),
                      move.landing(),
                      move.checksum() ? ", with a checksum" : "",
                      time(", deadline", move.timeout(), 1),
                      time(", cancelled after", move.cancelAfter(), 0),
                      cut(move.cut()));
          case Step.Stream stream ->
              "%s op %d, %,d items of %,d bytes, %s%s, behind %d; %s at a time%s%s%s%s"
                  .formatted(
                      stream.kind(),
                      stream.op(),
                      stream.items(),
                      stream.itemBytes(),
                      stream.ending(),
                      stream.kind().answers() && stream.kind().hasArguments()
                          ? " and " + stream.argumentsEnding()
                          : "",
                      stream.until(),
                      stream.ask() == Long.MAX_VALUE ? "all" : "" + stream.ask(),
                      time(", each after", stream.pace(), 1),
                      time(", asked for after", stream.rest(), 1),
                      time(", deadline", stream.timeout(), 1),
                      time(", cancelled after", stream.cancelAfter(), 0));
          case Step.Expose expose ->
              "%s exposes %s memory, op %d, access %d%s%s%s"
                  .formatted(
                      expose.back() ? "client" : "server",
                      expose.shared() ? "shared" : "own",
                      expose.op(),
                      expose.access(),
                      time(", lease", expose.lease(), 1),
                      time(", renewed after", expose.renewAfter(), 0),
                      time(", closed after", expose.closeAfter(), 0));
          case Step.Reach reach ->
              "%s op %d at %d of region op %d%s%s"
                  .formatted(
                      reach.kind(),
                      reach.op(),
                      reach.place(),
                      reach.region(),
                      time(", deadline", reach.timeout(), 1),
                      time(", cancelled after", reach.cancelAfter(), 0));
          case Step.Fault fault ->
              "FAULT %s%s, amount %d%s"
                  .formatted(
                      fault.kind(),
                      time(" for", fault.nanos(), 1),
                      fault.amount(),
                      fault.aim() == null ? "" : ", when it is in phase " + fault.aim());
        };
    return "%12.4f ms  session%d: %s".formatted(step.at() / 1e6, step.session(), what);
  }

  private static String cut(Step.@Nullable Cut cut) {
    return cut == null ? "" : ", " + cut.kind() + " when it is " + cut.stage();
  }

  private static String time(String what, long nanos, long least) {
    return nanos < least ? "" : "%s %.3f ms".formatted(what, nanos / 1e6);
  }
}
