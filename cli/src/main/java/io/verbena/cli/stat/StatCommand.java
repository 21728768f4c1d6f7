package io.verbena.cli.stat;

import io.verbena.cli.Table;
import io.verbena.core.stat.EngineStat;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena stat}: sessions, paths, calls, memory and transfers of a running process. */
@Command(
    name = "stat",
    description = {
      "Shows a running process's clients and servers: their sessions, the path of each and why,"
          + " calls in flight, credits, memory, transfers, registration cache and quarantine.",
      "Without PID: lists the processes of yours that use Verbena. Exit status: 1 where there is"
          + " nothing to show."
    })
public final class StatCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "the process to look into")
  private @Nullable Long pid;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    int exit = pid == null ? list(out) : show(out, pid);
    out.flush();
    return exit;
  }

  private static int list(PrintWriter out) {
    List<RunningProcess> found = RunningProcess.all();
    if (found.isEmpty()) {
      out.println("no process of yours uses Verbena now");
      return 1;
    }
    Table table = new Table("PID", "program");
    found.forEach(one -> table.row(one.pid(), one.name()));
    table.print(out, "");
    out.println();
    out.println("verbena stat PID shows one");
    return 0;
  }

  private static int show(PrintWriter out, long pid) throws IOException {
    List<EngineStat> engines = RunningProcess.ask(pid);
    if (engines.isEmpty()) {
      out.println("process " + pid + " has no client or server open now");
      return 1;
    }
    engines.forEach(engine -> Report.print(engine, out));
    return 0;
  }
}
