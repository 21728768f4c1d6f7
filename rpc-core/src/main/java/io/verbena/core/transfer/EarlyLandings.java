package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.session.SessionImpl;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Pooled memory that a receiver of pushes opens before the next push is offered. The bytes of that
 * push then follow their offer at once, and need not wait for a grant.
 *
 * <pre>
 *   receiver                                     sender
 *   DONE of a push into pooled memory ───────→
 *   GRANT of a number of the receiver ───────→   keeps it
 *            ←──────── OFFER with that number, and the bytes            it pushes again,
 *            ←──────── CANCEL of that number                            or has not for a second
 * </pre>
 *
 * <p>The sender alone ends an early landing, so no offer is lost. A receiver whose handler wants
 * the object elsewhere grants other memory, and the bytes are sent again. The memory counts for the
 * session's share. On the session's loop.
 */
final class EarlyLandings {
  /** For a longer push, a round trip is little. */
  private static final int LONGEST = BulkMemory.CHUNK_BYTES;

  /** With more pushes at a time, none waits for a round trip. */
  private static final int MOST_OPEN = 16;

  /** The most memory of one session that waits for pushes, in bytes. */
  private static final long MOST_BYTES = 8L << 20;

  /** The most landings of the peer that are kept. It opens fewer. */
  private static final int MOST_KNOWN = 1024;

  private static final int MOST_GRANTS = 64;

  /** A push of less than this part of a landing would waste its memory. */
  private static final int MOST_WASTE = 4;

  /** A sender that pushes more seldom gives the memory back. */
  private static final long IDLE_NANOS = 1_000_000_000;

  /** After a push that landed elsewhere, the next so many get no early landing. */
  private static final int PAUSE = 16;

  private final SessionImpl session;
  private final TransferIds ids;

  /** The lengths of this end's landings that wait for a push, by their numbers. */
  private final Long2LongHashMap open = new Long2LongHashMap(0);

  private long openBytes;
  private int pause;

  /** The peer's landings, in the order in which it opened them. */
  private final List<Landing> known = new ArrayList<>();

  private long usedAt;
  private long timer = Timers.NONE;

  /** A landing of the peer. */
  record Landing(long id, List<Grant> grants) {}

  EarlyLandings(SessionImpl session, TransferIds ids) {
    this.session = session;
    this.ids = ids;
  }

  // ---- the receiver ----

  /**
   * A push of this length has landed in pooled memory. Returns how many bytes to open for the next
   * one, or 0.
   */
  long afterPush(long length) {
    if (pause > 0) {
      pause--;
      return 0;
    }
    long bytes = BulkMemory.sizeFor(length);
    boolean opens =
        length > 0
            && length <= LONGEST
            && open.size() < MOST_OPEN
            && openBytes + bytes <= MOST_BYTES
            && session.pathCosts().pushesEarly()
            && needsNoDevice()
            && !isScarce(bytes);
    return opens ? bytes : 0;
  }

  /** A landing waits for a push. */
  void waitsFor(long id, long bytes) {
    open.put(id, bytes);
    openBytes += bytes;
  }

  /** A device would have to keep the memory pinned and open meanwhile. */
  boolean needsNoDevice() {
    List<BulkPath> paths = session.bulkPaths();
    return paths.size() == 1 && paths.getFirst().port.landsOnHeap();
  }

  /** Half of the memory is for objects that are under way. */
  private boolean isScarce(long bytes) {
    BulkMemory memory = session.context().bulk().memory();
    return 2 * (memory.inUse() + bytes) > memory.limit();
  }

  /** Returns how many landings wait for a push. */
  int waiting() {
    return open.size();
  }

  boolean waits(long id) {
    return open.containsKey(id);
  }

  /** A landing waits no longer: a push was offered, or the landing has ended. */
  void waitsNoLonger(long id) {
    openBytes -= open.remove(id);
  }

  /** A push that had an early landing went elsewhere. */
  void landedElsewhere() {
    pause = PAUSE;
  }

  // ---- the sender ----

  /** Takes a grant for a landing of the peer. Returns the breach of the protocol, or null. */
  @Nullable String granted(long id, Grant grant) {
    for (Landing one : known) {
      if (one.id == id) {
        return again(one, grant);
      }
    }
    if (ids.mayHaveBeen(id)) {
      return null; // it was given back meanwhile
    }
    String wrong = ids.begun(FrameKind.BULK_GRANT, id);
    if (wrong != null) {
      return wrong;
    }
    if (known.size() >= MOST_KNOWN) {
      return "more than " + MOST_KNOWN + " landings that no push has used";
    }
    List<Grant> grants = new ArrayList<>(1);
    grants.add(grant);
    known.add(new Landing(id, grants));
    if (timer == Timers.NONE) {
      usedAt = session.loop().now();
      timer = session.loop().timers().schedule(usedAt + IDLE_NANOS, this::look);
    }
    return null;
  }

  private static @Nullable String again(Landing landing, Grant grant) {
    List<Grant> grants = landing.grants;
    if (grants.getFirst().generation() < grant.generation()) {
      grants.clear();
    } else if (grants.size() >= MOST_GRANTS) {
      return "more than " + MOST_GRANTS + " grants for a push";
    }
    grants.add(grant);
    return null;
  }

  /** Returns a landing of the peer for an object of this length; null if there is none. */
  @Nullable Landing take(long length) {
    for (Iterator<Landing> oldest = known.iterator(); oldest.hasNext(); ) {
      Landing landing = oldest.next();
      Grant grant = landing.grants.getFirst();
      BulkPath path = session.bulkPath(grant.epoch());
      boolean fits = length <= grant.length() && grant.length() <= MOST_WASTE * length;
      if (fits && grant.offset() == 0 && path != null && !path.isClosed()) {
        oldest.remove();
        usedAt = session.loop().now();
        return landing;
      }
    }
    return null;
  }

  /** The peer has closed a landing. */
  void closed(long id) {
    known.removeIf(one -> one.id == id);
  }

  private void look(long now) {
    timer = Timers.NONE;
    if (now - usedAt >= IDLE_NANOS) {
      giveBack();
    } else {
      timer = session.loop().timers().schedule(usedAt + IDLE_NANOS, this::look);
    }
  }

  /** Gives all landings back to the peer. */
  void giveBack() {
    List<Landing> unused = List.copyOf(known);
    forget();
    for (Landing one : unused) {
      BulkTransfer.refuse(session, one.id, RpcStatus.CANCELLED, "no push used it");
    }
    if (!unused.isEmpty()) {
      session.schedulePump();
    }
  }

  /** Forgets the landings of a peer that is gone. */
  void forget() {
    known.clear();
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }
}
