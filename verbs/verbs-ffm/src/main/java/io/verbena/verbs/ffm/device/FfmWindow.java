package io.verbena.verbs.ffm.device;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.MW;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.lib.Cures;
import io.verbena.verbs.ffm.lib.DataPath;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A type 2 memory window.
 *
 * <p>A window belongs to the queue pair on which it was bound, until that is destroyed. With
 * rdma_rxe the destruction of a queue pair waits for its windows, perhaps for ever. So the windows
 * of a queue pair are renewed just before. Renewing frees the native window, and allocates a new
 * one for the same object.
 */
public final class FfmWindow implements MemoryWindow {
  private static final String POST = "ibv_post_send";
  private static final int IBV_MW_TYPE_2 = 2;
  private static final int KEY_COUNTER = 0xff;

  private final Lifetime life = new Lifetime("the memory window", "requests");
  private final FfmPd pd;

  /** Excludes posting a request with the window's pointer, and changing the pointer. */
  private final ReentrantLock posting = new ReentrantLock();

  /** A null pointer of C after the window is freed. */
  private volatile MemorySegment pointer;

  private volatile int rkey;

  /** The windows of the queue pair on which this window was last bound. */
  private @Nullable Set<FfmWindow> siblings;

  private FfmWindow(FfmPd pd, MemorySegment pointer) {
    this.pd = pd;
    this.pointer = pointer;
    rkey = Pointers.u32(pointer, MW, "rkey");
    pd.device().live().add(pointer.address(), this);
  }

  static FfmWindow allocate(FfmPd pd) throws IOException {
    if (pd.device().verbs().allocMw().address() == 0) {
      throw Cures.failure("ibv_alloc_mw", Errno.EOPNOTSUPP);
    }
    return pd.life().make("ibv_alloc_mw", () -> new FfmWindow(pd, allocateNative(pd)));
  }

  private static MemorySegment allocateNative(FfmPd pd) throws IOException {
    MemorySegment verb = pd.device().verbs().allocMw();
    return Pointers.struct(DataPath.ALLOC_MW.pointer(verb, pd.pointer(), IBV_MW_TYPE_2), MW);
  }

  /**
   * Begins the posting of a bind request that names the window by {@code address}. The same thread
   * must call {@link #endBind}.
   *
   * @param windows the windows of the request's queue pair
   */
  public void beginBind(long address, Set<FfmWindow> windows) throws VerbsException {
    posting.lock();
    if (!life.isOpen() || pointer.address() != address) {
      posting.unlock();
      throw VerbsException.closed(POST, "the memory window");
    }
    if (siblings != windows) {
      if (siblings != null) {
        siblings.remove(this);
      }
      siblings = windows;
      windows.add(this);
    }
  }

  /** Records the key of a posted bind request. The driver expects it in the next request. */
  public void posted(int boundRkey) {
    pointer.set(JAVA_INT, MW.offset("rkey"), boundRkey);
  }

  /** Ends the posting that {@link #beginBind} began. */
  public void endBind() {
    posting.unlock();
  }

  /**
   * Frees the native window before its queue pair is destroyed, and allocates another. If that
   * fails, later requests with this window are refused.
   */
  public void renew() throws IOException {
    posting.lock();
    try {
      if (life.isOpen()) {
        freeNative();
        allocateAnew();
      }
      siblings = null;
    } finally {
      posting.unlock();
    }
  }

  private void allocateAnew() {
    try {
      pointer = allocateNative(pd);
      rkey = Pointers.u32(pointer, MW, "rkey");
      pd.device().live().add(pointer.address(), this);
    } catch (IOException none) {
      // The queue pair can be destroyed all the same.
    }
  }

  @Override
  public int rkey() {
    return rkey;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // a window has one owner
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
    posting.lock();
    try {
      life.close("ibv_dealloc_mw", this::freeNative);
      if (siblings != null) {
        siblings.remove(this);
      }
    } finally {
      posting.unlock();
    }
    pd.life().removeDependent();
  }

  private void freeNative() throws IOException {
    MemorySegment freed = pointer;
    if (freed.equals(MemorySegment.NULL)) {
      return; // the window could not be renewed
    }
    MemorySegment verb = pd.device().verbs().deallocMw();
    pd.device().free(freed.address(), () -> DataPath.DEALLOC_MW.zero(verb, freed));
    pointer = MemorySegment.NULL;
  }
}
