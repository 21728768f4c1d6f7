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

/**
 * Bind requests name a window and a region by pointer, which the device's driver follows while they
 * are posted: both are held alive meanwhile, and pointers to anything else are refused.
 */
final class BindGuard {
  private static final Held NOTHING = new Held(List.of());
  private static final int OPCODE = SEND_WR.offset("opcode");
  private static final int WINDOW = SEND_WR.offset("bind_mw.mw");
  private static final int REGION = SEND_WR.offset("bind_mw.bind_info.mr");

  private final LiveObjects live;

  BindGuard(LiveObjects live) {
    this.live = live;
  }

  /** What is held until the requests are posted. */
  record Held(List<Use> uses) implements AutoCloseable {
    @Override
    public void close() {
      uses.forEach(Use::close);
    }
  }

  /** Allocates nothing unless there is a bind request. */
  Held hold(SendBlock block, int first, int count) throws IOException {
    for (int i = first; i < first + count; i++) {
      if (isBind(block.address(i))) {
        return holdAll(block, first, count);
      }
    }
    return NOTHING;
  }

  private Held holdAll(SendBlock block, int first, int count) throws IOException {
    Held held = new Held(new ArrayList<>());
    try {
      for (int i = first; i < first + count; i++) {
        if (isBind(block.address(i))) {
          holdOne(block.address(i), i, held.uses());
        }
      }
      return held;
    } catch (IOException closed) {
      held.close();
      throw closed;
    }
  }

  private void holdOne(long request, int index, List<Use> uses) throws IOException {
    FfmWindow window = live.window(Pointers.u64At(request + WINDOW));
    FfmMr region = live.mr(Pointers.u64At(request + REGION));
    if (window == null || region == null) {
      throw new VerbsException(
          "ibv_post_send",
          Errno.EINVAL,
          "Request "
              + index
              + " binds a window or a region that is closed or of another device; use living ones.");
    }
    uses.add(window.life().use("ibv_post_send"));
    uses.add(region.life().use("ibv_post_send"));
  }

  private static boolean isBind(long request) {
    return Pointers.u32At(request + OPCODE) == SendOpcode.BIND_MW;
  }
}
