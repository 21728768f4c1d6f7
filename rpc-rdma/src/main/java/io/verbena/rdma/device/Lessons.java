package io.verbena.rdma.device;

import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;

/**
 * What a device was found to do otherwise than it reports, which no query tells. Each costs the
 * link that finds it, whose session goes on; later links of the loop do without. On the loop.
 *
 * <pre>
 *   inline   UNTRIED ──a Send goes inline──→ UNDER_WAY ──it completes──→ TRUSTED
 *               ↑────its link ends────────────────│
 *                                                 └──its key was used──→ IGNORED
 * </pre>
 */
public final class Lessons {
  private static final ThrottledLog LEARNED =
      ThrottledLog.of(Lessons.class, "devices that do otherwise than they report");

  private enum Inline {
    UNTRIED,
    UNDER_WAY,
    TRUSTED,
    IGNORED
  }

  private final String device;
  private Inline inline = Inline.UNTRIED;
  private boolean refusesBinds;
  private boolean refusesEmptyWrites;

  Lessons(String device) {
    this.device = device;
  }

  /** Returns whether the device is known to copy inline requests while they are posted. */
  public boolean trustsInline() {
    return inline == Inline.TRUSTED;
  }

  /** Returns whether this Send is to go inline, to find out what the device does; true for one. */
  public boolean triesInline() {
    if (inline != Inline.UNTRIED) {
      return false;
    }
    inline = Inline.UNDER_WAY;
    return true;
  }

  /** The Send of {@link #triesInline} has completed. */
  public void inlineWorks() {
    inline = Inline.TRUSTED;
  }

  /**
   * The Send of {@link #triesInline} has not completed.
   *
   * @param byKey whether its memory was refused for its key, which inline requests do not have
   */
  public void inlineFailed(boolean byKey) {
    inline = byKey ? Inline.IGNORED : Inline.UNTRIED;
    if (byKey) {
      learned("grants inline requests and reads them by their key; Sends go without");
    }
  }

  /** A bind was refused although windows were made. */
  public void bindRefused(IOException how) {
    refusesBinds = true;
    learned("makes memory windows and refuses to bind them (" + how.getMessage() + ')');
  }

  /** Returns whether windows can be bound, as far as is known. */
  boolean bindsWindows() {
    return !refusesBinds;
  }

  /** An empty WRITE was refused. */
  public void emptyWriteRefused() {
    refusesEmptyWrites = true;
    learned("is refused empty WRITEs by a peer's device; silent paths are not probed by them");
  }

  /** Returns whether empty WRITEs arrive, as far as is known. */
  public boolean sendsEmptyWrites() {
    return !refusesEmptyWrites;
  }

  private void learned(String what) {
    LEARNED.warn("The device {} {}", device, what);
  }
}
