package io.verbena.bench.counts;

import io.verbena.bench.run.Subprocess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the instructions of a call by executing it step by step; Linux on x86-64. */
public final class Stepper {
  private static final int FORKS = 3;
  private static final int OPERATIONS = 9;

  /** The prefixes of an instruction that say nothing here. */
  private static final String PREFIXES = " 26 2e 36 3e 64 65 66 67 f2 f3 ";

  private Stepper() {}

  /**
   * What one operation executes. The compilers decide anew in each process what to inline; that
   * they are waited for makes most of them decide alike.
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
        List<One> ones = fork(what);
        instructions.add(median(ones.stream().map(One::instructions).toList()));
        locked.add(median(ones.stream().map(One::locked).toList()));
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

  private static List<One> fork(InstructionsProgram.What what) throws IOException {
    // What the compilers inline depends on when they are done, unless the program waits for them.
    List<String> flags =
        List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmn400m", "-XX:-BackgroundCompilation");
    try (Subprocess program = Subprocess.start(flags, InstructionsProgram.class, what.name())) {
      long number = Long.parseLong(program.line());
      long counter = Long.parseLong(program.line());
      try (Ptrace thread = new Ptrace(number)) {
        return step(thread, counter);
      }
    }
  }

  /** Executes some operations, from the end of one on. */
  private static List<One> step(Ptrace thread, long counter) throws IOException {
    Map<Long, Boolean> known = new HashMap<>();
    List<One> ones = new ArrayList<>();
    long done = thread.read(counter);
    boolean begun = false;
    long instructions = 0;
    long locked = 0;
    long last = 0;
    while (ones.size() < OPERATIONS) {
      long at = thread.next();
      Boolean locks = known.get(at);
      if (locks == null) {
        locks = locks(thread.read(at));
        known.put(at, locks);
      }
      thread.step();
      if (at != last) { // or it repeats itself, as rep movsb does
        instructions++;
        locked += locks ? 1 : 0;
      }
      last = at;
      long now = thread.read(counter);
      if (now != done) {
        if (begun) {
          ones.add(new One(instructions, locked));
        }
        begun = true;
        done = now;
        instructions = 0;
        locked = 0;
      }
    }
    return ones;
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
