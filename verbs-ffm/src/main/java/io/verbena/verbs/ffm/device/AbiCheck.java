package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.CONTEXT;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.DEVICE;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Compares what the loaded libraries really do with the layouts that we were written for, before
 * anything is called through them: a wrong offset must be an exception, not a wild jump.
 */
public final class AbiCheck {
  /** What every context has since verbs_context exists: {@code __VERBS_ABI_IS_EXTENDED}. */
  private static final long ABI_IS_EXTENDED = -1L;

  private static final int MAX_PLAUSIBLE_VECTORS = 1 << 16;

  private AbiCheck() {}

  /** Checks an {@code ibv_context}: its end, its descriptors, its verbs, its device's name. */
  static void context(MemorySegment context) throws IOException {
    expect(
        Pointers.pointer(context, CONTEXT, "abi_compat").address() == ABI_IS_EXTENDED,
        "ibv_context.abi_compat");
    int vectors = Pointers.u32(context, CONTEXT, "num_comp_vectors");
    expect(
        Pointers.u32(context, CONTEXT, "cmd_fd") >= 0
            && Pointers.u32(context, CONTEXT, "async_fd") >= 0
            && vectors > 0
            && vectors < MAX_PLAUSIBLE_VECTORS,
        "ibv_context.cmd_fd");
    DataVerbs verbs = DataVerbs.of(context);
    expect(
        verbs.pollCq().address() != 0
            && verbs.requestNotify().address() != 0
            && verbs.postSend().address() != 0
            && verbs.postReceive().address() != 0,
        "ibv_context.ops");
    MemorySegment device = Pointers.pointer(context, CONTEXT, "device");
    long name = Ibverbs.GET_DEVICE_NAME.pointer(device).address();
    expect(name - device.address() == DEVICE.offset("name"), "ibv_device.name");
  }

  /** Fails with a message that names the member, unless it was found where it should be. */
  public static void expect(boolean found, String member) throws VerbsException {
    if (!found) {
      throw new VerbsException(
          "the check of the binary interface",
          Errno.ENOSYS,
          member
              + " is not where rdma-core has had it from 2017 to 2026, so this library cannot be"
              + " driven safely. Use the rdma-core of your distribution, and report its version.");
    }
  }
}
