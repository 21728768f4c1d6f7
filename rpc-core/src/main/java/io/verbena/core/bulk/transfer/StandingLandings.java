package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.StandingOptions;
import io.verbena.core.bulk.memory.BulkMemory.Block;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.link.BulkRegion;
import io.verbena.core.link.BulkTarget;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.log.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory that stays open to the peer of one session for what it pushes, on the path that there is,
 * so that an object that fits needs no grant. The peer may write into it as long as that path
 * stands, though nobody else may. Each landing has a number of its own, told to the peer once:
 *
 * <pre>
 *   memory claimed, open, told → FREE ──an offer names it──→ TAKEN ──all copied out, rewound──→ FREE
 *                                  │                           │
 *                    the path is lost or changed      and its transfer failed
 *                                  └────→ CLOSED ←─────────────┘
 *                                           ├──fenced, no transfer reads it──→ memory given back,
 *                                           └──cannot be fenced──→ memory kept:
 *                                                      another is opened in its place
 * </pre>
 *
 * <p>The peer may write before its offer is here: what has arrived waits in the landing.
 */
final class StandingLandings {
  private static final ThrottledLog MISSING =
      ThrottledLog.of(StandingLandings.class, "sessions that lack standing landings");

  private final BulkHost host;
  private final StandingOptions options;
  private final Long2ObjectHashMap<Landing> open = new Long2ObjectHashMap<>();
  private boolean wanted;
  private boolean warned;
  private @Nullable BulkPath path;
  private long lastTold;

  /** Landings with a lower number are closed. */
  private long oldest = 1;

  /** Those whose memory is claimed: open, or closed and not let go of yet. */
  private int held;

  StandingLandings(BulkHost host) {
    this.host = host;
    this.options = host.bulkContext().standing();
  }

  /** Pushes are taken from now on, so that landings are of use. */
  void want() {
    wanted = true;
    pathsChanged();
  }

  /** Goes where bulk goes now. */
  void pathsChanged() {
    BulkPath best = host.bulkPath();
    if (best == null || !wanted) {
      return; // what is open is of use until its path is closed
    }
    if (best != path) {
      path = best;
      closeAll();
    }
    openMore();
  }

  /** A link is closed, and nothing is written over it any more. */
  void pathClosed(BulkPath closed) {
    if (closed == path) {
      path = null;
      closeAll();
    }
  }

  /** The session is over. */
  void end() {
    path = null;
    closeAll();
  }

  private void closeAll() {
    oldest = lastTold + 1;
    List<Landing> all = new ArrayList<>(open.values());
    all.forEach(Landing::close);
  }

  private void openMore() {
    BulkPath on = path;
    while (on != null && on == host.bulkPath() && held < options.count() && open(on)) {
      held++;
    }
  }

  private boolean open(BulkPath on) {
    Block block = host.bulkContext().memory().claim(options.bytes(), host.pooled());
    if (block == null) {
      warn(host.bulkContext().memory().noRoom(options.bytes()).getMessage());
      return false;
    }
    BulkRegion region = null;
    try {
      region = on.port().attach(block.memory(), MemoryLife.HELD);
      Landing landing = new Landing(lastTold + 1, block, region);
      BulkTarget target = on.port().open(region, 0, options.bytes(), landing::arrived);
      landing.target = target;
      lastTold++;
      open.put(landing.number, landing);
      byte[] advertisement = target.advertisement();
      host.sendBulk(
          FrameKind.BULK_STANDING,
          landing.number,
          out -> {
            out.writeInt(on.epoch());
            out.writeBytes(advertisement);
            out.writeVarLong(oldest);
          });
      host.bulkContext().counters().standing(block.size());
      return true;
    } catch (LinkException e) {
      if (region != null) {
        region.release();
      }
      block.release();
      warn(e.getMessage());
      return false;
    }
  }

  /** Without them all goes on as if none were wanted, so once is enough. */
  private void warn(@Nullable String why) {
    if (!warned) {
      warned = true;
      MISSING.warn("A session has fewer than {} standing landings: {}", options.count(), why);
    }
  }

  /** Returns what is wrong with an offer of so many bytes in a landing, or null. */
  @Nullable String wrongWith(long number, long length) {
    if (number < 1 || number > lastTold) {
      return "an offer in standing landing " + number + ", where " + lastTold + " was last";
    }
    Landing landing = open.get(number);
    if (landing == null) {
      return null;
    }
    if (landing.user != null) {
      return "an offer in standing landing " + number + ", which is taken";
    }
    return length > options.bytes() || landing.arrived > length
        ? "an offer of %d bytes in standing landing %d of %d, where %d had arrived"
            .formatted(length, number, options.bytes(), landing.arrived)
        : null;
  }

  /**
   * Returns the landing of an offer, which is to be used by a transfer or dropped; null where it
   * was closed before the peer knew.
   */
  @Nullable Landing find(long number) {
    return open.get(number);
  }

  /** One landing. */
  final class Landing {
    private final long number;
    private final Block block;
    private final BulkRegion region;
    private @Nullable BulkTarget target;
    private @Nullable IncomingTransfer user;
    private long arrived;
    private boolean fenced;

    Landing(long number, Block block, BulkRegion region) {
      this.number = number;
      this.block = block;
      this.region = region;
    }

    private void arrived(long upTo) {
      if (target == null) {
        return; // closed meanwhile: what comes now does not count
      }
      arrived = upTo;
      if (user != null) {
        user.landed();
      }
    }

    /** A transfer's bytes come here. It hears of more, and of the landing's end. */
    void use(IncomingTransfer transfer) {
      user = transfer;
    }

    /** Returns how many bytes there are. */
    long arrived() {
      return arrived;
    }

    /** Returns bytes that have arrived. */
    MemorySegment memory(long offset, long length) {
      return block.memory().asSlice(offset, length);
    }

    /** Its transfer has all of its bytes: the peer, once it hears of that, may use it again. */
    void giveBack() {
      user = null;
      arrived = 0;
      if (target != null) {
        target.rewind();
      }
      letGo();
    }

    /** Its transfer does not want what comes: another landing is opened in its place. */
    void drop() {
      user = null;
      close();
      letGo();
    }

    private void close() {
      BulkTarget closing = target;
      if (closing == null) {
        return;
      }
      target = null;
      open.remove(number);
      host.bulkContext().counters().quarantined(block.size());
      closing.close(
          () -> {
            host.bulkContext().counters().quarantined(-block.size());
            region.release();
            fenced = true;
            letGo();
          },
          this::lost);
      if (user != null) {
        user.landingClosed();
      }
    }

    /** Its memory is kept, and counts as quarantined for good. */
    private void lost() {
      host.bulkContext().counters().standing(-block.size());
      held--;
      openMore();
    }

    private void letGo() {
      if (fenced && user == null) {
        fenced = false;
        block.release();
        host.bulkContext().counters().standing(-block.size());
        held--;
        openMore();
      }
    }
  }
}
