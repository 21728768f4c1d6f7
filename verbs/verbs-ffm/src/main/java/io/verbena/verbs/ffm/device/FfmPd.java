package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.PD;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.qp.FfmSrq;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A protection domain. Its objects may be used together. */
public final class FfmPd extends IbvPd implements VerbsPd {
  private final Lifetime life =
      new Lifetime(
          "the protection domain", "memory regions, windows, shared receive queues or queue pairs");
  private final FfmContext device;
  private final MemorySegment pointer;

  private FfmPd(FfmContext device, MemorySegment pointer) throws IOException {
    super(device);
    this.device = device;
    this.pointer = pointer;
    handle = Pointers.u32(Pointers.struct(pointer, PD), PD, "handle");
  }

  static FfmPd allocate(FfmContext device) throws IOException {
    return device
        .life()
        .make("ibv_alloc_pd", () -> new FfmPd(device, Ibverbs.ALLOC_PD.pointer(device.pointer())));
  }

  /** Returns the device of the domain. */
  public FfmContext device() {
    return device;
  }

  /** Returns the {@code ibv_pd}. It is valid while {@link #life} has a use or a dependent. */
  public MemorySegment pointer() {
    return pointer;
  }

  /** Returns the domain's lifetime. All objects of the domain depend on it. */
  public Lifetime life() {
    return life;
  }

  @Override
  public IbvMr registerMemory(long address, long length, int access) throws IOException {
    return FfmMr.register(this, address, length, access);
  }

  @Override
  public MemoryWindow allocateWindow() throws IOException {
    return FfmWindow.allocate(this);
  }

  @Override
  public SharedReceiveQueue createSrq(int maxRequests, int maxSges) throws IOException {
    return FfmSrq.create(this, maxRequests, maxSges);
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  @Override
  public int deallocPd() throws IOException {
    life.close("ibv_dealloc_pd", () -> device.free(() -> Ibverbs.DEALLOC_PD.zero(pointer)));
    isOpen = false;
    device.life().removeDependent();
    return 0;
  }

  /** Destroys the domain, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::deallocPd);
  }
}
