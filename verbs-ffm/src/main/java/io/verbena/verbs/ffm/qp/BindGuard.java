package io.verbena.verbs.ffm.qp;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.SEND_WR;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.device.FfmMr;
import io.verbena.verbs.ffm.device.FfmWindow;
import io.verbena.verbs.ffm.device.LiveObjects;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bind requests name a window and a region by pointer, which the device's driver follows while they
 * are posted: both are held alive meanwhile, and pointers to anything else are refused.
 */
final class BindGuard {
  private static final Held NOTHING = new Held(List.of());
  private static final String CALL = "ibv_post_send";
  private static final int OPCODE = SEND_WR.offset("opcode");
  private static final int WINDOW = SEND_WR.offset("bind_mw.mw");
  private static final int RKEY = SEND_WR.offset("bind_mw.rkey");
  private static final int REGION = SEND_WR.offset("bind_mw.bind_info.mr");

  private final LiveObjects live;

  /** The windows that were last bound on this queue pair. */
  private final Set<FfmWindow> windows = ConcurrentHashMap.newKeySet();

  BindGuard(LiveObjects live) {
    this.live = live;
  }

  /** What is held until the requests are posted. */
  record Held(List<Bind> binds) implements AutoCloseable {
    /** Tells the windows of the first {@code count} requests that theirs were posted. */
    void posted(int count) {
      for (Bind bind : binds) {
        if (bind.position < count) {
          bind.window.posted(bind.rkey);
        }
      }
    }

    @Override
    public void close() {
      for (Bind bind : binds) {
        bind.region.close();
        bind.window.endBind();
      }
    }
  }

  /** One bind request of those that are posted together. */
  private record Bind(int position, FfmWindow window, int rkey, Use region) {}

  /** Takes the windows off a queue pair that is about to be destroyed. */
  void releaseWindows() throws IOException {
    for (FfmWindow window : windows) {
      window.renew();
    }
    windows.clear();
  }

  /** Allocates nothing unless there is a bind request. */
  Held hold(SendBlock block, int first, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      if (isBind(block.address(first + i))) {
        return holdAll(block, first, count);
      }
    }
    return NOTHING;
  }

  private Held holdAll(SendBlock block, int first, int count) throws IOException {
    Held held = new Held(new ArrayList<>());
    try {
      for (int i = 0; i < count; i++) {
        if (isBind(block.address(first + i))) {
          held.binds.add(holdOne(block.address(first + i), i));
        }
      }
      return held;
    } catch (IOException closed) {
      held.close();
      throw closed;
    }
  }

  private Bind holdOne(long request, int position) throws IOException {
    long windowAddress = Pointers.u64At(request + WINDOW);
    FfmWindow window = live.window(windowAddress);
    FfmMr region = live.mr(Pointers.u64At(request + REGION));
    if (window == null || region == null) {
      throw new VerbsException(
          CALL,
          Errno.EINVAL,
          "Request "
              + position
              + " binds a window or a region that is closed or of another device; use living ones.");
    }
    Use regionUse = region.life().use(CALL);
    try {
      window.beginBind(windowAddress, windows);
    } catch (IOException closed) {
      regionUse.close();
      throw closed;
    }
    return new Bind(position, window, Pointers.u32At(request + RKEY), regionUse);
  }

  private static boolean isBind(long request) {
    return Pointers.u32At(request + OPCODE) == SendOpcode.BIND_MW;
  }
}
