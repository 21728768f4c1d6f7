package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.MW;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ffm.lib.Cures;
import io.verbena.verbs.ffm.lib.DataPath;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A type 2 memory window. */
public final class FfmWindow implements MemoryWindow {
  private static final int IBV_MW_TYPE_2 = 2;
  private static final int KEY_COUNTER = 0xff;

  private final Lifetime life = new Lifetime("the memory window", "requests");
  private final FfmPd pd;
  private final MemorySegment pointer;
  private int rkey;

  private FfmWindow(FfmPd pd, MemorySegment pointer) {
    this.pd = pd;
    this.pointer = pointer;
    rkey = Pointers.u32(pointer, MW, "rkey");
  }

  static FfmWindow allocate(FfmPd pd) throws IOException {
    MemorySegment verb = pd.device().verbs().allocMw();
    if (verb.address() == 0) {
      throw Cures.failure("ibv_alloc_mw", Errno.EOPNOTSUPP);
    }
    pd.life().addDependent("ibv_alloc_mw");
    try {
      MemorySegment mw = DataPath.allocMw(verb, pd.pointer(), IBV_MW_TYPE_2);
      FfmWindow window = new FfmWindow(pd, Pointers.struct(mw, MW));
      pd.device().live().add(mw.address(), window);
      return window;
    } catch (IOException | RuntimeException failed) {
      pd.life().removeDependent();
      throw failed;
    }
  }

  /** Requests that name the window use it while they are posted. */
  public Lifetime life() {
    return life;
  }

  @Override
  public int rkey() {
    return rkey;
  }

  @Override
  public int nextRkey() {
    rkey = (rkey & ~KEY_COUNTER) | ((rkey + 1) & KEY_COUNTER);
    return rkey;
  }

  @Override
  public long handle() {
    return pointer.address();
  }

  @Override
  public void deallocate() throws IOException {
    life.close("ibv_dealloc_mw", this::free);
    pd.life().removeDependent();
  }

  private void free() throws IOException {
    LiveObjects live = pd.device().live();
    live.remove(pointer.address());
    try {
      DataPath.deallocMw(pd.device().verbs().deallocMw(), pointer);
    } catch (IOException | RuntimeException kept) {
      live.add(pointer.address(), this);
      throw kept;
    }
  }
}
