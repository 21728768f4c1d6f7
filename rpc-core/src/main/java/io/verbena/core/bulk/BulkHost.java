package io.verbena.core.bulk;

import io.verbena.api.Peer;
import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Quota;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What transfers need of their session. On the loop, but where a method says otherwise. */
public interface BulkHost extends RunOn.Threads {
  /** Returns what the sessions of one client or server share. Safe for any thread. */
  BulkContext bulkContext();

  /**
   * Returns what objects may take of pooled memory: on their way in, and read ahead of their way
   * out. Safe for any thread.
   */
  Quota.Share pooled();

  /**
   * Returns whether this end opened the session: it numbers its transfers apart from the peer's.
   */
  boolean isClientEnd();

  /** Returns how many calls the peer may have under way. Safe for any thread. */
  int mostCalls();

  /** Returns the highest number of a call whose request has come from this peer; 0 before any. */
  long lastCallOfPeer();

  /** Returns the other end. Safe for any thread. */
  Peer peer();

  /** Returns whether the session is over. */
  boolean isEnded();

  /** Returns whether the session has a link. Safe for any thread. */
  boolean hasLink();

  /** Returns whether the session has a link, and none that moves bulk. */
  boolean movesNoBulk();

  /** Sends a numbered frame behind all others. */
  void sendBulk(FrameKind kind, long transfer, Consumer<WireOut> body);

  /** Sends a frame that is not numbered; false if there is no room, or no link. */
  boolean sayBulk(FrameKind kind, long transfer, Consumer<WireOut> body);

  /**
   * Returns the paths that new grants should take, the one that calls take first; empty while there
   * is none. The same list while they are the same.
   */
  List<BulkPath> bulkPaths();

  /** Returns whether frames go by this path now. */
  boolean carriesFrames(BulkPath path);

  /** An object under way is long enough to be worth further paths. */
  void wantsPaths();

  /** Returns the path with this epoch, if the session has it now. */
  @Nullable BulkPath bulkPath(int epoch);

  /** Returns the cut-offs of the path there is now. */
  CutOffs cutOffs();

  /** Has transfers take their turns at the end of this duty cycle. */
  void schedulePump();

  /** There is something to do for transfers, where there was nothing. */
  void turnsChanged();
}
