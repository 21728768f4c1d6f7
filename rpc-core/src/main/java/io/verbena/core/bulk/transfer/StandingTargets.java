package io.verbena.core.bulk.transfer;

import io.verbena.api.wire.WireIn;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.StandingOptions;
import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.RemoteTarget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Landings that the peer of one session keeps open for what this end pushes, and that no transfer
 * has now. Those of one path are known, the one of which the peer told last. See {@link
 * StandingLandings}, its other end.
 */
final class StandingTargets {
  private final BulkHost host;
  private final List<Target> free = new ArrayList<>();
  private @Nullable BulkPath path;
  private long lastTold;

  /** The peer has closed those with a lower number. */
  private long oldest;

  StandingTargets(BulkHost host) {
    this.host = host;
  }

  /** The peer has opened one; returns what is wrong with that, or null. */
  @Nullable String told(long number, WireIn in) {
    int epoch = in.readInt();
    ByteBuffer advertisement = in.readBuffer();
    long open = in.readVarLong();
    if (number <= lastTold || advertisement.remaining() > TransferFrames.MOST_ADVERTISEMENT) {
      return "standing landing " + number + ", where " + lastTold + " was last";
    }
    if (open < oldest || open > number) {
      return "standing landing " + number + " beside open ones from " + open + " on";
    }
    lastTold = number;
    oldest = open;
    free.removeIf(target -> target.number < open);
    BulkPath on = host.bulkPath(epoch);
    if (on != path) {
      path = on;
      free.clear(); // the peer has closed them
    }
    if (on == null || on.isClosed()) {
      return null; // the peer will find out, and tell anew
    }
    if (free.size() == StandingOptions.MOST) {
      return "more than " + StandingOptions.MOST + " standing landings";
    }
    try {
      free.add(new Target(number, on, on.port().remote(advertisement)));
      return null;
    } catch (LinkException e) {
      return "standing landing " + number + ": " + e.getMessage();
    }
  }

  /** Takes one for an object of this length; null where there is none on the path there is now. */
  @Nullable Target take(long length) {
    if (path == null || path != host.bulkPath() || length == 0) {
      return null; // an object of no bytes needs none
    }
    for (Iterator<Target> all = free.iterator(); all.hasNext(); ) {
      Target target = all.next();
      if (target.remote.length() >= length && length <= BulkMemory.CHUNK_BYTES) {
        all.remove();
        return target;
      }
    }
    return null;
  }

  /** The peer and its landings are gone. */
  void clear() {
    free.clear();
    path = null;
    lastTold = 0;
    oldest = 0;
  }

  /** A landing that a transfer has taken. Whoever does not give it back drops it. */
  final class Target {
    final long number;
    final BulkPath path;
    final RemoteTarget remote;

    Target(long number, BulkPath path, RemoteTarget remote) {
      this.number = number;
      this.path = path;
      this.remote = remote;
    }

    /** The peer has the object, and has rewound the landing. */
    void giveBack() {
      boolean isOpen = path == StandingTargets.this.path && number >= oldest;
      if (isOpen && free.size() < StandingOptions.MOST) {
        remote.rewind();
        free.add(this);
      }
    }
  }
}
