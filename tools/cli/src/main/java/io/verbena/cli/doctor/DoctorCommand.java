package io.verbena.cli.doctor;

import io.verbena.api.SessionPath;
import io.verbena.cli.Address;
import io.verbena.cli.Credentials;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.rdma.GuardedVerbs;
import io.verbena.rdma.RdmaSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/** The command {@code verbena doctor}. It examines RDMA on this machine and prints cures. */
@Command(
    name = "doctor",
    description = {
      "Examines RDMA on this machine. It prints the parts that are there, the missing parts with"
          + " their cures, and the path that a session from this machine would get. With HOST:PORT"
          + " it opens a session with the Verbena server there, and prints the path of the session"
          + " with the reason.",
      "Exit status: 0 if RDMA is possible (with HOST:PORT: if the session uses it; with --try: and"
          + " no trial failed), else 1."
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
      description = "the address of a Verbena server to open a session with")
  private @Nullable String server;

  @Mixin private Credentials credentials = new Credentials();

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "the longest time for the upgrade of the session (default: ${DEFAULT-VALUE})")
  private int waitSeconds;

  @Option(
      names = "--try",
      description =
          "also open sessions of this process with itself over each usable device, and check calls,"
              + " objects, regions and the ends of links there; takes two minutes at most, and"
              + " changes nothing")
  private boolean tries;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description =
          "also write all that an issue about RDMA needs to a new file: findings, versions,"
              + " attributes of devices; addresses of this host, but no variables, tokens or keys")
  private @Nullable Path report;

  /** Makes a command that examines this machine, with the links on the class path. */
  public DoctorCommand() {
    this(DoctorCommand::ofThisMachine);
  }

  DoctorCommand(Supplier<Doctor> machine) {
    this.machine = machine;
  }

  @Override
  public Integer call() throws InterruptedException, IOException {
    if (waitSeconds < 0 || waitSeconds > LONGEST_WAIT.toSeconds()) {
      throw new ParameterException(
          spec.commandLine(), "--wait takes seconds, from 0 to a day, not " + waitSeconds);
    }
    if (report != null) {
      IssueReport.check(report);
    }
    PrintWriter out = spec.commandLine().getOut();
    Doctor doctor = doctor();
    Doctor.Diagnosis diagnosis = doctor.examine();
    diagnosis.print(out);
    out.flush();
    List<Section> trials = tries ? trials(doctor, diagnosis, out) : List.of();
    boolean failed = trials.stream().anyMatch(trial -> trial.has(Finding.Mark.MISSING));
    String prospect = diagnosis.prospect() + (failed ? "; a trial failed, see above" : "");
    if (report != null) {
      report(report, doctor, diagnosis, trials, prospect, out);
    }
    if (server == null) {
      tellOfSharedMemory(out);
      out.println(prospect);
      out.flush();
      return diagnosis.prospect().rdma() && !failed ? 0 : NO_RDMA;
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
    return path.link().equals("rdma") && !failed ? 0 : NO_RDMA;
  }

  private static List<Section> trials(Doctor doctor, Doctor.Diagnosis diagnosis, PrintWriter out) {
    List<Section> trials = new ArrayList<>();
    for (String device : diagnosis.usable()) {
      out.println("trying " + device + ", for two minutes at most");
      out.flush();
      Section trial = new DeviceTrial(doctor.verbs(), doctor.settings(), device).run();
      trial.print(out);
      out.println();
      out.flush();
      trials.add(trial);
    }
    if (trials.isEmpty()) {
      String why = "none, because no device is usable; see Verbs devices";
      trials.add(new Section("Trial", List.of(Finding.note("a trial", why))));
      trials.getFirst().print(out);
      out.println();
    }
    return trials;
  }

  private static void report(
      Path file,
      Doctor doctor,
      Doctor.Diagnosis diagnosis,
      List<Section> trials,
      String prospect,
      PrintWriter out)
      throws IOException {
    List<Section> all = new ArrayList<>(diagnosis.sections());
    all.addAll(trials);
    new IssueReport(doctor.host(), doctor.verbs(), doctor.settings()).write(file, all, prospect);
    out.println("written: " + file + ", for an issue; it has addresses of this host");
  }

  /** Prints a note about shared memory, because the printed path covers only RDMA and TCP. */
  private static void tellOfSharedMemory(PrintWriter out) {
    if (Doctor.sharedMemory().mark() == Finding.Mark.OK) {
      out.println(
          "Sessions between processes of this host and user use shared memory, if both have"
              + " rpc-shm. All other sessions:");
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
