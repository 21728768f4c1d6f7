package io.verbena.verbs.ffm.lib;

import static io.verbena.verbs.ffm.lib.Verb.unexpected;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the data path, which C calls through function pointers in {@code ibv_context}.
 *
 * <p>The verbs return errno or a count, and do not set errno itself. Pointers are plain longs, so
 * that nothing is allocated. Polling is a critical call, because it takes a few nanoseconds and
 * never blocks, except on the drivers that make a system call for an error. Posting is a plain
 * call, because a software device may send inside it (10 ms per MiB on rdma_rxe), and a critical
 * call delays safepoints for that time.
 */
public final class DataPath {
  private DataPath() {}

  private static final Linker LINKER = Linker.nativeLinker();

  private static final MethodHandle POST =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle POLL_CQ =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG),
          Linker.Option.critical(false));
  private static final MethodHandle POLL_CQ_PLAINLY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
  private static final MethodHandle REQ_NOTIFY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

  /** Allocates a memory window of type 1 or 2. */
  public static final Verb ALLOC_MW =
      Verb.ofContext("ibv_alloc_mw", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));

  /** Frees a window, bound or not. */
  public static final Verb DEALLOC_MW =
      Verb.ofContext("ibv_dealloc_mw", FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * Calls {@code post_send}, {@code post_recv} or {@code post_srq_recv}.
   *
   * @return 0 or errno; with errno, {@code badOut} points to the first request that was not posted
   */
  public static int post(MemorySegment verb, long queue, long first, long badOut)
      throws VerbsException {
    try {
      return (int) POST.invokeExact(verb, queue, first, badOut);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /**
   * Calls {@code poll_cq}.
   *
   * @param briefly whether it never makes a system call
   * @return the number of completions; negative if the CQ is broken
   */
  public static int pollCq(MemorySegment verb, long cq, int max, long out, boolean briefly)
      throws VerbsException {
    try {
      return briefly
          ? (int) POLL_CQ.invokeExact(verb, cq, max, out)
          : (int) POLL_CQ_PLAINLY.invokeExact(verb, cq, max, out);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Calls {@code req_notify_cq}. Returns 0 or errno. */
  public static int requestNotify(MemorySegment verb, long cq, boolean solicitedOnly)
      throws VerbsException {
    try {
      return (int) REQ_NOTIFY.invokeExact(verb, cq, solicitedOnly ? 1 : 0);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }
}
