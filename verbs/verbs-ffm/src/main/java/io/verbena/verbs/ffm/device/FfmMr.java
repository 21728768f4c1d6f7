package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.MR;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ffm.lib.Cures;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A registered memory region of any length. The caller keeps the memory alive. */
public final class FfmMr extends IbvMr implements VerbsMr {
  private final Lifetime life = new Lifetime("the memory region", "bound windows");
  private final FfmPd pd;
  private final MemorySegment pointer;
  private final long bytes;

  private FfmMr(FfmPd pd, long memory, long bytes, int access, MemorySegment mr)
      throws IOException {
    super(
        pd.device(),
        memory,
        (int) Math.min(bytes, Integer.MAX_VALUE),
        access,
        Pointers.u32(mr, MR, "lkey"),
        Pointers.u32(mr, MR, "rkey"),
        Pointers.u32(mr, MR, "handle"));
    this.pd = pd;
    this.bytes = bytes;
    this.pointer = mr;
  }

  static FfmMr register(FfmPd pd, long memory, long bytes, int access) throws IOException {
    String call = "ibv_reg_mr";
    if (bytes < 1) {
      throw new VerbsException(call, Errno.EINVAL, "A region of " + bytes + " bytes; at least 1.");
    }
    return pd.life()
        .make(
            call,
            () -> {
              MemorySegment from = MemorySegment.ofAddress(memory);
              MemorySegment mr =
                  Pointers.struct(Ibverbs.REG_MR.pointer(pd.pointer(), from, bytes, access), MR);
              AbiCheck.expect(mr.get(JAVA_LONG, MR.offset("length")) == bytes, "ibv_mr.length");
              FfmMr region = new FfmMr(pd, memory, bytes, access, mr);
              pd.device().live().add(mr.address(), region);
              return region;
            });
  }

  /** Returns the region's lifetime. Bound windows and requests with the region depend on it. */
  public Lifetime life() {
    return life;
  }

  @Override
  public long length() {
    return bytes;
  }

  @Override
  public long handle() {
    return pointer.address();
  }

  @Override
  public void deregister() throws IOException {
    life.close("ibv_dereg_mr", this::free);
    isOpen = false;
    pd.life().removeDependent();
  }

  private void free() throws IOException {
    try {
      pd.device().free(pointer.address(), () -> Ibverbs.DEREG_MR.zero(pointer));
    } catch (VerbsException kept) {
      // rdma_rxe fails with EINVAL in place of EBUSY. A live region has no other cause of EINVAL.
      throw kept.errno() == Errno.EINVAL
          ? VerbsException.inUse(kept.call(), "the memory region", "bound windows")
          : kept;
    }
  }

  /** Always fails. Prefetching is a part of on-demand paging, which is not offered. */
  @Override
  public int expPrefetchMr(long address, int length) throws IOException {
    throw Cures.failure("ibv_advise_mr", Errno.EOPNOTSUPP);
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  /** Destroys the region, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::deregister);
  }
}
