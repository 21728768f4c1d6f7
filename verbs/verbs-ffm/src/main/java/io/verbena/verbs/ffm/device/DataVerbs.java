package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CONTEXT;

import io.verbena.verbs.ffm.lib.Pointers;
import java.lang.foreign.MemorySegment;

/** The function pointers of a context for the data path, read once. */
public record DataVerbs(
    MemorySegment pollCq,
    MemorySegment requestNotify,
    MemorySegment postSend,
    MemorySegment postReceive,
    MemorySegment postSrqReceive,
    MemorySegment allocMw,
    MemorySegment deallocMw) {

  static DataVerbs of(MemorySegment context) {
    return new DataVerbs(
        verb(context, "poll_cq"),
        verb(context, "req_notify_cq"),
        verb(context, "post_send"),
        verb(context, "post_recv"),
        verb(context, "post_srq_recv"),
        verb(context, "alloc_mw"),
        verb(context, "dealloc_mw"));
  }

  private static MemorySegment verb(MemorySegment context, String name) {
    return Pointers.pointer(context, CONTEXT, "ops." + name);
  }
}
