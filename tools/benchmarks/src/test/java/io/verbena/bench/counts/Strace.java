package io.verbena.bench.counts;

import io.verbena.bench.load.Scratch;
import io.verbena.bench.run.ServerProcess;
import io.verbena.cli.JvmProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Counts system calls by strace, which must be installed. */
public final class Strace {
  /** The title of puts of 1 MiB that raw java.nio makes. */
  public static final String RAW_PUT = StandardLoad.PUT_1M.title() + ", raw java.nio";

  private static final Pattern CALL = Pattern.compile("^(\\d+) +(\\w+)\\((.*)");
  private static final Pattern MARK =
      Pattern.compile(
          "\""
              + SystemCallsProgram.MARK
              + "("
              + SystemCallsProgram.BEGIN
              + "|"
              + SystemCallsProgram.END
              + ")(\\w+)\"");

  /** Counts of all rounds of a load but the first, by thread. */
  private final Map<String, Map<String, Calls>> byLoad = new HashMap<>();

  private Map<String, Calls> now = new HashMap<>();

  private Strace() {}

  /** Returns whether there is strace on this host. */
  public static boolean isHere() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace")));
  }

  /**
   * Returns what every load over TCP asks of the kernel.
   *
   * @throws IOException if strace may not look at a process here, or the program failed
   */
  public static List<SystemCalls> count() throws IOException {
    Path log = Scratch.file();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("strace", "-f", "-qq", "-e", "signal=none", "-o", log.toString()));
    command.addAll(JvmProcess.command(List.of(), SystemCallsProgram.class));
    Map<String, String> threads = new HashMap<>();
    try (JvmProcess program = JvmProcess.start(command, ServerProcess.OTHER_CPU)) {
      for (String line : program.lines()) {
        threads.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
      }
    }
    if (threads.isEmpty()) {
      throw new IOException("strace could not look at a process here; why stands above");
    }
    Strace strace = new Strace();
    try (Stream<String> lines = Files.lines(log)) {
      lines.forEach(strace::read);
    } finally {
      Files.delete(log);
    }
    return strace.result(threads);
  }

  private void read(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.matches()) {
      return; // the end of a call that others came between, or a signal
    }
    Matcher mark = MARK.matcher(call.group(3));
    if (!mark.find()) {
      now.computeIfAbsent(call.group(1), thread -> new Calls()).add(call.group(2));
    } else if (mark.group(1).equals(SystemCallsProgram.BEGIN)) {
      now = new HashMap<>();
    } else {
      Map<String, Calls> known = byLoad.putIfAbsent(mark.group(2), new HashMap<>());
      if (known != null) {
        now.forEach(
            (thread, calls) -> known.computeIfAbsent(thread, one -> new Calls()).add(calls));
      }
      now = new HashMap<>();
    }
  }

  private List<SystemCalls> result(Map<String, String> threads) {
    List<SystemCalls> all = new ArrayList<>();
    StandardLoad call = StandardLoad.CALL;
    all.add(result(SystemCallsProgram.BLOCKING, call.title() + ", blocking", call, threads));
    for (StandardLoad load : StandardLoad.values()) {
      all.add(result(load.name(), load.title(), load, threads));
    }
    StandardLoad put = StandardLoad.PUT_1M;
    all.add(result(SystemCallsProgram.RAW, RAW_PUT, put, threads));
    return all;
  }

  private SystemCalls result(
      String name, String title, StandardLoad load, Map<String, String> threads) {
    Calls client = new Calls();
    Calls server = new Calls();
    byLoad
        .getOrDefault(name, Map.of())
        .forEach(
            (thread, calls) -> {
              String role = threads.getOrDefault(thread, "");
              if (role.startsWith("verbena-client") || role.equals(SystemCallsProgram.CALLER)) {
                client.add(calls);
              } else if (role.startsWith("verbena-server") || role.equals(RawPuts.SERVER)) {
                server.add(calls);
              }
            });
    int operations = load.operations() * (SystemCallsProgram.ROUNDS - 1);
    long bytes = load.isLarge() ? (long) load.size() * operations : 0;
    return new SystemCalls(title, operations, bytes, client, server);
  }
}
