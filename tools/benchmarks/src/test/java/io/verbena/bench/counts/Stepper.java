package io.verbena.bench.counts;

import io.verbena.bench.run.ServerProcess;
import io.verbena.cli.JvmProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the instructions of a call by executing it step by step; Linux on x86-64. */
public final class Stepper {
  private static final int FORKS = 5;

  /** So many that what is done for several at once, such as posting receives, has its part. */
  private static final int OPERATIONS = 48;

  /**
   * What is compiled by itself, as a real device's provider is: else the devices would be inlined
   * into one program and not into the other, and take up what may be inlined of a link.
   */
  private static final List<String> DEVICE =
      List.of(
          "FabricQp::postSend",
          "FabricQp::postReceive",
          "FabricSrq::postReceive",
          "FabricCq::poll");

  /** The prefixes of an instruction that say nothing here. */
  private static final String PREFIXES = " 26 2e 36 3e 64 65 66 67 f2 f3 ";

  private Stepper() {}

  /**
   * What one operation executes, in the mean of some that follow each other. The compilers decide
   * anew in each process what to inline; that they are waited for makes most of them decide alike.
   *
   * @param title what was done, by one thread for both ends
   * @param instructions of any kind: the median of the processes
   * @param least in the process that executes fewest
   * @param most in the process that executes most
   * @param locked which of them lock memory: the median of the processes
   */
  public record Instructions(String title, long instructions, long least, long most, long locked) {}

  private record One(long instructions, long locked) {}

  /** Returns whether it can be done on such a machine. */
  public static boolean isHere() {
    return System.getProperty("os.name").equals("Linux")
        && System.getProperty("os.arch").equals("amd64");
  }

  /**
   * Returns what calls execute.
   *
   * @throws IOException if a process may not be traced here
   */
  public static List<Instructions> count() throws IOException {
    List<Instructions> all = new ArrayList<>();
    for (InstructionsProgram.What what : InstructionsProgram.What.values()) {
      List<Long> instructions = new ArrayList<>();
      List<Long> locked = new ArrayList<>();
      for (int i = 0; i < FORKS; i++) {
        One mean = fork(what);
        instructions.add(mean.instructions);
        locked.add(mean.locked);
      }
      all.add(
          new Instructions(
              what.title(),
              median(instructions),
              Collections.min(instructions),
              Collections.max(instructions),
              median(locked)));
    }
    return all;
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private static One fork(InstructionsProgram.What what) throws IOException {
    // What the compilers inline depends on when they are done, unless the program waits for them.
    List<String> flags =
        new ArrayList<>(
            List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmn400m", "-XX:-BackgroundCompilation"));
    flags.add("-XX:CompileCommand=quiet");
    DEVICE.forEach(
        method -> flags.add("-XX:CompileCommand=dontinline,io.verbena.verbs.fabric." + method));
    List<String> command = JvmProcess.command(flags, InstructionsProgram.class, what.name());
    try (JvmProcess program = JvmProcess.start(command, ServerProcess.OTHER_CPU)) {
      long number = Long.parseLong(program.line());
      long counter = Long.parseLong(program.line());
      try (Ptrace thread = new Ptrace(number)) {
        return step(thread, counter);
      }
    }
  }

  /** Executes some operations, from the end of one on. */
  private static One step(Ptrace thread, long counter) throws IOException {
    Map<Long, Boolean> known = new HashMap<>();
    long done = thread.read(counter);
    int ended = -1; // the first is not executed from its beginning on
    long instructions = 0;
    long locked = 0;
    long last = 0;
    while (ended < OPERATIONS) {
      long at = thread.next();
      Boolean locks = known.get(at);
      if (locks == null) {
        locks = locks(thread.read(at));
        known.put(at, locks);
      }
      thread.step();
      if (ended >= 0 && at != last) { // or it repeats itself, as rep movsb does
        instructions++;
        locked += locks ? 1 : 0;
      }
      last = at;
      long now = thread.read(counter);
      if (now != done) {
        done = now;
        ended++;
      }
    }
    return new One(mean(instructions), mean(locked));
  }

  private static long mean(long sum) {
    return (sum + OPERATIONS / 2) / OPERATIONS;
  }

  /** Returns whether an instruction that begins so locks memory: by its prefix, or as xchg does. */
  static boolean locks(long bytes) {
    int at = 0;
    while (PREFIXES.contains(" %02x ".formatted(at(bytes, at)))) {
      at++;
    }
    if (at(bytes, at) == 0xf0) {
      return true;
    }
    if ((at(bytes, at) & 0xf0) == 0x40) {
      at++; // REX
    }
    boolean exchanges = (at(bytes, at) & 0xfe) == 0x86;
    return exchanges && (at(bytes, at + 1) & 0xc0) != 0xc0;
  }

  private static int at(long bytes, int index) {
    return (int) (bytes >>> (index * Byte.SIZE)) & 0xff;
  }
}
