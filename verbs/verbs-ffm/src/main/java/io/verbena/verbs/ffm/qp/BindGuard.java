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
 * Checks bind requests, which name a window and a region by pointers. The driver follows the
 * pointers during the post. So both objects are kept alive meanwhile, and other pointers are
 * refused.
 */
final class BindGuard {
  private static final Held NOTHING = new Held(List.of());
  private static final String CALL = "ibv_post_send";
  private static final int OPCODE = SEND_WR.offset("opcode");
  private static final int WINDOW = SEND_WR.offset("bind_mw.mw");
  private static final int RKEY = SEND_WR.offset("bind_mw.rkey");
  private static final int REGION = SEND_WR.offset("bind_mw.bind_info.mr");

  private final LiveObjects live;

  /** The windows whose last bind was on this queue pair. */
  private final Set<FfmWindow> windows = ConcurrentHashMap.newKeySet();

  BindGuard(LiveObjects live) {
    this.live = live;
  }

  /** The objects that are kept alive until the requests are posted. */
  record Held(List<Bind> binds) implements AutoCloseable {
    /** Records the posted keys in the windows of the first {@code count} requests. */
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

  /** One bind request of a chain. */
  private record Bind(int position, FfmWindow window, int rkey, Use region) {}

  /** Releases the windows of a queue pair before it is destroyed. */
  void releaseWindows() throws IOException {
    for (FfmWindow window : windows) {
      window.renew();
    }
    windows.clear();
  }

  /**
   * Keeps the objects of all bind requests alive. Allocates nothing if there is no bind request.
   */
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
    FfmWindow window = live.find(windowAddress, FfmWindow.class);
    FfmMr region = live.find(Pointers.u64At(request + REGION), FfmMr.class);
    if (window == null || region == null) {
      throw new VerbsException(
          CALL,
          Errno.EINVAL,
          "Request "
              + position
              + " binds a window or a region that is closed or of another device; use open ones.");
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
