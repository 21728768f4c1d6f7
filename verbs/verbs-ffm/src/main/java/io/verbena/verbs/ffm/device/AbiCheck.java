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
 * Compares the loaded libraries with the layouts of this module, before any call through a pointer
 * of theirs. A wrong offset must be an exception, not a wild jump.
 */
public final class AbiCheck {
  /** Every context since verbs_context has this value, {@code __VERBS_ABI_IS_EXTENDED}. */
  private static final long ABI_IS_EXTENDED = -1L;

  private static final int MAX_PLAUSIBLE_VECTORS = 1 << 16;

  private AbiCheck() {}

  /** Checks the end, the descriptors, the verbs and the device name of an {@code ibv_context}. */
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

  /** Fails with a message that names the member, unless it is at the expected offset. */
  public static void expect(boolean found, String member) throws VerbsException {
    if (!found) {
      throw new VerbsException(
          "the check of the binary interface",
          Errno.ENOSYS,
          member
              + " is at another offset than in rdma-core from 2017 to 2026, so calls of this library"
              + " are not safe. Use the rdma-core of your distribution, and report its version.");
    }
  }
}
