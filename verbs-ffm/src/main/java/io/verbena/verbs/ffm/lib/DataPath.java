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
 * <p>They return errno or a count and leave errno itself alone; pointers are plain longs here, so
 * that nothing is allocated. Polling is a critical call: a few nanoseconds, never blocking. Posting
 * is plain, because a software device may send inside the call (10 ms per MiB on rdma_rxe) and a
 * critical call holds back safepoints for as long.
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
  private static final MethodHandle REQ_NOTIFY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

  /** A memory window of type 1 or 2. */
  public static final Verb ALLOC_MW =
      Verb.ofContext("ibv_alloc_mw", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));

  /** Frees a window, bound or not. */
  public static final Verb DEALLOC_MW =
      Verb.ofContext("ibv_dealloc_mw", FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * {@code post_send}, {@code post_recv} or {@code post_srq_recv}.
   *
   * @return 0 or errno; then {@code badOut} points to the first request that was not posted
   */
  public static int post(MemorySegment verb, long queue, long first, long badOut)
      throws VerbsException {
    try {
      return (int) POST.invokeExact(verb, queue, first, badOut);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** {@code poll_cq}: the number of completions, or negative when the CQ is broken. */
  public static int pollCq(MemorySegment verb, long cq, int max, long out) throws VerbsException {
    try {
      return (int) POLL_CQ.invokeExact(verb, cq, max, out);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** {@code req_notify_cq}: 0 or errno. */
  public static int requestNotify(MemorySegment verb, long cq, boolean solicitedOnly)
      throws VerbsException {
    try {
      return (int) REQ_NOTIFY.invokeExact(verb, cq, solicitedOnly ? 1 : 0);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }
}
