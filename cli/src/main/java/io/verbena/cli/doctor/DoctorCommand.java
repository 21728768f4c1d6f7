package io.verbena.cli.doctor;

import io.verbena.api.SessionPath;
import io.verbena.cli.Address;
import io.verbena.cli.Credentials;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.rdma.GuardedVerbs;
import io.verbena.rdma.RdmaSettings;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena doctor}: what this machine has for RDMA, and the cure for what is missing. */
@Command(
    name = "doctor",
    description = {
      "Says what this machine has for RDMA, what is missing and how to get it, and which path a"
          + " session from here would get. With HOST:PORT it opens a session with the Verbena"
          + " server there and says which path it got, and why.",
      "Exit status: 0 when RDMA is possible (with HOST:PORT: when the session got it), 1 when not."
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final int NO_RDMA = 1;
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final Supplier<Doctor> machine;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "a Verbena server to open a session with")
  private @Nullable String server;

  @Mixin private Credentials credentials = new Credentials();

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "how long the session may take to upgrade (default: ${DEFAULT-VALUE})")
  private int waitSeconds;

  /** Looks at this machine, with the links that are on the class path. */
  public DoctorCommand() {
    this(DoctorCommand::ofThisMachine);
  }

  DoctorCommand(Supplier<Doctor> machine) {
    this.machine = machine;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (waitSeconds < 0 || waitSeconds > LONGEST_WAIT.toSeconds()) {
      throw new ParameterException(
          spec.commandLine(), "--wait is a time in seconds, a day at most, not " + waitSeconds);
    }
    PrintWriter out = spec.commandLine().getOut();
    Doctor doctor = doctor();
    Doctor.Diagnosis diagnosis = doctor.examine();
    diagnosis.print(out);
    if (server == null) {
      tellOfSharedMemory(out);
      out.println(diagnosis.prospect());
      out.flush();
      return diagnosis.prospect().rdma() ? 0 : NO_RDMA;
    }
    out.flush();
    Duration wait = diagnosis.prospect().rdma() ? Duration.ofSeconds(waitSeconds) : Duration.ZERO;
    SessionPath path;
    try {
      path = SessionProbe.path(doctor.upgrades(), server, credentials, wait, out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    out.println();
    tellOfSharedMemory(out);
    out.printf("path: %s%n", path);
    out.flush();
    return path.link().equals("rdma") ? 0 : NO_RDMA;
  }

  /** What is said of a path is of RDMA and TCP. */
  private static void tellOfSharedMemory(PrintWriter out) {
    if (Doctor.sharedMemory().mark() == Finding.Mark.OK) {
      out.println(
          "Sessions between processes of this host and user take shared memory, where both have"
              + " rpc-shm. All others:");
    }
  }

  private Doctor doctor() {
    try {
      return machine.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private static Doctor ofThisMachine() {
    return new Doctor(
        new Host(Path.of("/")),
        DoctorCommand::loads,
        GuardedVerbs.onClassPath(),
        ChosenUpgrades.rdma(),
        RdmaSettings.ofProperties());
  }

  private static boolean loads(String soname) {
    try {
      SymbolLookup.libraryLookup(soname, Arena.global());
      return true;
    } catch (IllegalArgumentException notFound) {
      return false;
    }
  }
}
