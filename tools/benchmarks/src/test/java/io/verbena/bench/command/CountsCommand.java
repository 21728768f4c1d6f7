package io.verbena.bench.command;

import com.google.gson.GsonBuilder;
import io.verbena.bench.counts.Counts;
import io.verbena.bench.counts.CountsTable;
import io.verbena.bench.counts.Ledger;
import io.verbena.bench.counts.Opening;
import io.verbena.bench.counts.StandardLoad;
import io.verbena.bench.counts.Stepper;
import io.verbena.bench.counts.Strace;
import io.verbena.bench.counts.SystemCalls;
import io.verbena.bench.verbena.Route;
import io.verbena.verbs.fabric.Personality;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench counts}: what calls and objects cost in things that can be counted. */
@Command(
    name = "counts",
    description = {
      "Counts what calls and objects cost, per operation, on the client + on the server. Counts say"
          + " the same on a busy machine and on an idle one: compare those of two builds.",
      "It needs no verbs device: RDMA is on devices in memory. System calls are counted by strace;"
          + " it takes about two minutes."
    })
public final class CountsCommand implements Callable<Integer> {
  private static final List<Route> ROUTES = List.of(Route.RDMA, Route.MEM, Route.TCP);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", paramLabel = "FILE", description = "all counts, as sums")
  private @Nullable Path json;

  @Option(
      names = "--adapters",
      description =
          "instead: what devices are asked for in a put, by adapter (the personalities of"
              + " verbs-fabric, also those of no driver); ten seconds")
  private boolean adapters;

  @Option(
      names = "--instructions",
      description =
          "also the instructions of a lone call, by executing it step by step, for a minute or two;"
              + " on Linux and x86-64")
  private boolean instructions;

  /** All that was counted, for programs of others. */
  private record Report(
      List<Opening> openings,
      List<Counts> counts,
      List<SystemCalls> systemCalls,
      List<Stepper.Instructions> instructions) {}

  @Override
  public Integer call() throws IOException {
    if (adapters) {
      print(
          "What devices of each kind are asked for in a put; the same in every run:",
          CountsTable.adapters(byAdapter()));
      return 0;
    }
    if (json != null) {
      OutputFile.check(json);
    }
    if (instructions && !Stepper.isHere()) {
      throw new IOException(
          "--instructions needs Linux on x86-64, where a process can be executed step by step");
    }
    Report report =
        new Report(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (Route route : ROUTES) {
      report.openings.addAll(Ledger.opening(route));
      report.counts.addAll(Ledger.count(route));
    }
    print(
        "What is sent, and what a device is asked for; on tcp and mem, WRITEs are pieces of bulk."
            + " The same in every run but on tcp:",
        CountsTable.exact(report.counts));
    print(
        "Opening a session; two turns are a round trip, without those of TCP and of the connection"
            + " manager:",
        CountsTable.opening(report.openings));
    for (int i = 0; i < report.counts.size(); i++) {
      report.counts.set(i, Ledger.withHeap(report.counts.get(i)));
    }
    print("Heap, with what the program itself makes of results:", CountsTable.heap(report.counts));
    print("System calls over TCP, each end on a thread of its own:", systemCalls(report));
    if (instructions) {
      report.instructions.addAll(Stepper.count());
      print(
          "Instructions of a lone call on the serial collector, the median of three processes:",
          CountsTable.instructions(report.instructions));
    }
    if (json != null) {
      Files.writeString(json, new GsonBuilder().setPrettyPrinting().create().toJson(report) + "\n");
    }
    return 0;
  }

  private static Map<String, Counts> byAdapter() throws IOException {
    Map<String, Counts> all = new LinkedHashMap<>();
    for (StandardLoad load : List.of(StandardLoad.PUT_64K, StandardLoad.PUT_1M)) {
      for (Personality adapter : Personality.values()) {
        if (adapter.connects()) {
          all.put(adapter + " " + load, Ledger.count(load, adapter.profile()));
        }
      }
    }
    return all;
  }

  private static String systemCalls(Report report) {
    if (!Strace.isHere()) {
      return "Not counted, for strace is not here: install it, for example with 'apt-get install"
          + " strace'.";
    }
    try {
      report.systemCalls.addAll(Strace.count());
      return CountsTable.systemCalls(report.systemCalls);
    } catch (IOException e) {
      return "Not counted: " + e.getMessage() + ".";
    }
  }

  private void print(String about, String table) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(about);
    out.println();
    out.println(table);
    out.flush();
  }
}
