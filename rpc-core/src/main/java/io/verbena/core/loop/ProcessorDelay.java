package io.verbena.core.loop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether processors are short, by how long a thread that could run has waited for one
 * ({@code /proc/thread-self/schedstat}). While others need the processors, a thread that spins
 * takes them from its own peer, and the scheduler lets it wait the longer for that. A thread that
 * sleeps runs soon after its wake-up.
 *
 * <pre>
 *   FREE ──the thread has waited long──→ SHORT ──a while later, a processor is idle──→ FREE
 * </pre>
 *
 * <p>While processors are short, the thread sleeps, and its own waits tell nothing: to wake an idle
 * processor takes longer than to wake a busy one. So the end is told by the number of threads of
 * the host that run ({@code /proc/loadavg}).
 *
 * <p>Only the measured thread calls it. Where the system does not have the figures, processors
 * count as free.
 */
final class ProcessorDelay implements AutoCloseable {
  /** A look costs two system calls of a microsecond. */
  private static final long LOOK_EVERY_NANOS = 10_000_000;

  /**
   * The thread has waited for this part of the time, and for so long each time, at two looks in a
   * row. One wait may be for a compiler's or a collector's thread.
   */
  private static final double LONG = 0.3;

  private static final long LONG_NANOS = 50_000;

  /** A busy time lasts at least so long; doubled each time that it came back soon. */
  private static final long SHORTEST_NANOS = 16_000_000;

  private static final long LONGEST_NANOS = 256_000_000;

  private final NumbersFile waits;
  private final NumbersFile running;

  /**
   * Of the host, as its threads are; a container may have fewer. Counted at the first busy time.
   */
  private int processors;

  private boolean begun;
  private long looked;
  private long waited;
  private long turns;
  private boolean isShort;

  /** Whether the thread had waited long at the last look. */
  private boolean waitedLong;

  /** How long the present or last busy time lasts at least, and when it began and ended. */
  private long lasts = SHORTEST_NANOS;

  private long shortSince;
  private long freeSince;

  /** Makes one for the thread that calls it first. */
  ProcessorDelay() {
    this("/proc/thread-self/schedstat", "/proc/loadavg", 0);
  }

  /**
   * Makes one for other files of those forms.
   *
   * @param processors of their host; 0 if this host's
   */
  ProcessorDelay(String waits, String running, int processors) {
    this.waits = new NumbersFile(waits);
    this.running = new NumbersFile(running);
    this.processors = processors;
  }

  private static int processorsOfHost() {
    int count = 0;
    while (Files.exists(Path.of("/sys/devices/system/cpu/cpu" + count))) {
      count++;
    }
    return Math.max(count, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Returns whether processors have been short lately.
   *
   * @param now in nanoseconds
   */
  boolean isShort(long now) {
    if (!begun || now - looked >= LOOK_EVERY_NANOS) {
      look(now);
    }
    return isShort;
  }

  private void look(long now) {
    long since = now - looked;
    looked = now;
    if (!waits.read()) {
      isShort = false;
      return;
    }
    long waitedNow = waits.number(1);
    long turnsNow = waits.number(2);
    long more = waitedNow - waited;
    long each = more / Math.max(1, turnsNow - turns);
    waited = waitedNow;
    turns = turnsNow;
    if (!begun) {
      begun = true;
    } else if (isShort) {
      isShort = now - shortSince < lasts || !isOneIdle();
      freeSince = now;
    } else if (more <= LONG * since || each <= LONG_NANOS) {
      waitedLong = false;
    } else if (!waitedLong) {
      waitedLong = true;
    } else {
      boolean soon = now - freeSince < LONGEST_NANOS;
      lasts = soon ? Math.min(2 * lasts, LONGEST_NANOS) : SHORTEST_NANOS;
      isShort = true;
      waitedLong = false;
      shortSince = now;
    }
  }

  /** The number behind the three averages, of two numbers each, counts the threads that run. */
  private boolean isOneIdle() {
    if (processors == 0) {
      processors = processorsOfHost();
    }
    return !running.read() || running.number(6) - 1 < processors;
  }

  /** Closes the files. Processors count as free from then on. */
  @Override
  public void close() {
    isShort = false;
    waits.close();
    running.close();
  }

  /** A small file of the system with numbers, which any other bytes separate. */
  private static final class NumbersFile implements AutoCloseable {
    private static final int MOST_BYTES = 96;
    private static final int MOST_NUMBERS = 8;

    private final String path;
    private final byte[] bytes = new byte[MOST_BYTES];
    private final long[] numbers = new long[MOST_NUMBERS];
    private @Nullable RandomAccessFile file;
    private boolean failed;

    NumbersFile(String path) {
      this.path = path;
    }

    /** Reads the numbers anew; returns false if the system does not have them. */
    boolean read() {
      if (failed) {
        return false;
      }
      try {
        RandomAccessFile open = file;
        if (open == null) {
          open = new RandomAccessFile(path, "r");
          file = open;
        }
        open.seek(0);
        parse(open.read(bytes));
        return true;
      } catch (IOException e) {
        close();
        return false;
      }
    }

    private void parse(int length) {
      int count = 0;
      boolean inNumber = false;
      for (int i = 0; i < length && count < MOST_NUMBERS; i++) {
        int digit = bytes[i] - '0';
        if (digit >= 0 && digit <= 9) {
          numbers[count] = inNumber ? 10 * numbers[count] + digit : digit;
          inNumber = true;
        } else if (inNumber) {
          inNumber = false;
          count++;
        }
      }
    }

    long number(int index) {
      return numbers[index];
    }

    @Override
    public void close() {
      failed = true;
      RandomAccessFile open = file;
      file = null;
      if (open != null) {
        try {
          open.close();
        } catch (IOException e) {
          // It was read only.
        }
      }
    }
  }
}
