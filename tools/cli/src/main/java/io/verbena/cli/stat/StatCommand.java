package io.verbena.cli.stat;

import io.verbena.cli.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code verbena stat}. It shows the state of a running process. */
@Command(
    name = "stat",
    description = {
      "Shows the clients and servers of a running process: sessions with their paths and the"
          + " reasons for them, calls in flight, credits, memory, transfers, registration cache and"
          + " quarantine. Shows its channels too: calls, moves, retries, hedges and the state of"
          + " the servers.",
      "Without PID, the command lists your processes that use Verbena. Exit status: 1 if there is"
          + " nothing to show."
    })
public final class StatCommand implements Callable<Integer> {
  /** A JVM on an emulated processor needs some seconds. */
  private static final Duration LONGEST = Duration.ofSeconds(8);

  private final Duration longest;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "the process to show")
  private @Nullable Long pid;

  /** Makes a command that waits a few seconds for each process. */
  public StatCommand() {
    this(LONGEST);
  }

  StatCommand(Duration longest) {
    this.longest = longest;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    int exit = pid == null ? list(out) : show(out, pid);
    out.flush();
    return exit;
  }

  private int list(PrintWriter out) throws InterruptedException {
    RunningProcess.Listing listing = RunningProcess.all(longest);
    boolean any = !listing.found().isEmpty();
    if (any) {
      Table table = new Table("PID", "program");
      listing.found().forEach(one -> table.row(one.pid(), one.name()));
      table.print(out, "");
      out.printf("%n'verbena stat PID' shows one of them%n");
    } else {
      out.println("no process of this user uses Verbena now");
    }
    for (RunningProcess one : listing.silent()) {
      out.printf(
          "process %d (%s) did not answer; 'verbena stat %1$d' says why%n", one.pid(), one.name());
    }
    return any ? 0 : 1;
  }

  private int show(PrintWriter out, long pid) throws IOException, InterruptedException {
    RunningProcess.Told told = RunningProcess.ask(pid, longest);
    if (told.engines().isEmpty()) {
      out.println("process " + pid + " has no client or server open now");
      return 1;
    }
    told.engines().forEach(engine -> Report.print(engine, out));
    told.channels().forEach(channel -> ChannelReport.print(channel, out));
    return 0;
  }
}
