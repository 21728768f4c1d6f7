package io.verbena.bench.counts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Does the same for ever in one thread, and when the compilers have done their work prints the
 * thread's number and the address of a counter of what is done, for {@link Stepper}.
 */
final class InstructionsProgram {
  private static final long WARM_MILLIS = 6_000;
  private static final long WARM_OPERATIONS = 300_000;

  private static final MemorySegment COUNTER = Arena.global().allocate(ValueLayout.JAVA_LONG);

  private InstructionsProgram() {}

  /** The operation. */
  enum What {
    CALL("call of 64 B over RDMA, both ends and their devices"),
    VERBS("the same messages by bare verbs");

    private final String title;

    What(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** Takes what to do. */
  public static void main(String[] args) throws Exception {
    RdmaCallPath path = new RdmaCallPath();
    path.connect();
    What what = What.valueOf(args[0]);
    Thread thread = new Thread(() -> run(path, what), "stepped");
    thread.setDaemon(true);
    thread.start();
    while (System.in.read() != -1) {
      // Nothing is ever written here; its end says that the process that started this has closed
      // it.
    }
  }

  private static void run(RdmaCallPath path, What what) {
    try {
      long end = System.currentTimeMillis() + WARM_MILLIS;
      for (long i = 1; ; i++) {
        if (what == What.CALL) {
          path.call();
        } else {
          path.verbs();
        }
        count(i);
        if (i % WARM_OPERATIONS == 0 && end != 0 && System.currentTimeMillis() > end) {
          end = 0;
          Path self = Path.of("/proc/thread-self").toRealPath();
          System.out.println(self.getFileName());
          System.out.println(COUNTER.address());
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One more is done. */
  private static void count(long done) {
    COUNTER.set(ValueLayout.JAVA_LONG, 0, done);
  }
}
