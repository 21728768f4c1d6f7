package io.verbena.core.upgrade;

import io.verbena.core.link.BulkPort;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.SendResult;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.memory.Slot;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A link from the attempt at it to its end: whatever it throws ends it, and each end is told once.
 * Stands on both sides of the link: the core calls it, and hears of it by it.
 */
final class GuardedLink implements Link, LinkListener, LinkDriver.ConnectHandler {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(GuardedLink.class, "frames of better links that could not be taken");

  private final LinkDriver.ConnectHandler handler;
  private final Set<GuardedLink> all;
  private final Mishap mishap;
  private @Nullable Link link;
  private @Nullable LinkListener listener;
  private @Nullable LinkCapabilities capabilities;
  private @Nullable String cause;
  private @Nullable String endedBeforeHeard;
  private boolean over;

  /**
   * An attempt.
   *
   * @param all where it stands until it is over
   */
  GuardedLink(LinkDriver.ConnectHandler handler, Set<GuardedLink> all, Mishap mishap) {
    this.handler = handler;
    this.all = all;
    this.mishap = mishap;
    all.add(this);
  }

  // ---- what the driver tells ----

  @Override
  public LinkListener onConnected(Link connected) {
    if (over) {
      abandon(connected);
      return this;
    }
    link = connected;
    try {
      capabilities = Objects.requireNonNull(connected.capabilities(), "capabilities()");
    } catch (Throwable thrown) {
      abandon(connected);
      onFailed(mishap.failure("it does not tell what it can do", thrown));
      return this;
    }
    listener = handler.onConnected(this);
    if (endedBeforeHeard != null) {
      listener.onClosed(endedBeforeHeard);
    }
    return this;
  }

  private void abandon(Link connected) {
    try {
      connected.abort("nobody waits for it any more");
    } catch (Throwable thrown) {
      mishap.tell("it cannot be aborted", thrown);
    }
  }

  @Override
  public void onFailed(LinkException failure) {
    if (!over) {
      giveUp();
      handler.onFailed(cause == null ? failure : new LinkException(cause, failure));
    }
  }

  /** Has it end for this, whatever the driver will say. */
  void endsBecause(String why) {
    cause = why;
  }

  /** Nobody needs to be told any more. */
  void giveUp() {
    over = true;
    all.remove(this);
  }

  /** Tells of its end, unless that is known. */
  void end(String why) {
    if (link == null) {
      onFailed(new LinkException(why, null));
    } else {
      onClosed(why);
    }
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    LinkListener told = listener;
    if (told != null && !over) {
      try {
        told.onFrame(buffer, from, to);
      } catch (Throwable thrown) { // the core's fault, and this session's alone
        FAILED.error("A frame of {} could not be taken; its link is closed", peerAddress(), thrown);
        abort("a frame could not be taken: " + Mishap.words(thrown));
      }
    }
  }

  @Override
  public void onBulkMoved() {
    LinkListener told = listener;
    if (told != null && !over) {
      told.onBulkMoved();
    }
  }

  @Override
  public void onWritable() {
    LinkListener told = listener;
    if (told != null && !over) {
      told.onWritable();
    }
  }

  @Override
  public void onClosed(String reason) {
    ended(reason, LinkListener::onClosed);
  }

  @Override
  public void onUntrusted(String reason) {
    ended(reason, LinkListener::onUntrusted);
  }

  private void ended(String reason, BiConsumer<LinkListener, String> tell) {
    if (over) {
      return;
    }
    giveUp();
    String why = Objects.requireNonNullElse(cause, reason);
    LinkListener told = listener;
    if (told != null) {
      tell.accept(told, why);
    } else {
      endedBeforeHeard = why; // in the midst of being handed over
    }
  }

  // ---- what the core asks ----

  private Link open() {
    return Objects.requireNonNull(link, "only an open link is handed over");
  }

  /** Ends this link for what it threw. */
  private String broke(String what, Throwable thrown) {
    String why = mishap.tell(what, thrown);
    endsBecause(why);
    try {
      open().abort(why);
    } catch (Throwable again) {
      mishap.tell("it cannot be aborted", again);
      onClosed(why);
    }
    return why;
  }

  @Override
  public void listener(LinkListener next) {
    listener = next;
  }

  @Override
  public LinkCapabilities capabilities() {
    return Objects.requireNonNull(capabilities, "only an open link is handed over");
  }

  @Override
  public String localAddress() {
    try {
      return open().localAddress();
    } catch (Throwable thrown) {
      return broke("it does not tell its address", thrown);
    }
  }

  @Override
  public String peerAddress() {
    try {
      return open().peerAddress();
    } catch (Throwable thrown) {
      return broke("it does not tell its peer's address", thrown);
    }
  }

  @Override
  public List<X509Certificate> peerCertificates() {
    try {
      return open().peerCertificates();
    } catch (Throwable thrown) {
      broke("it does not tell who its peer is", thrown);
      return List.of();
    }
  }

  @Override
  public SendResult send(Slot slot) {
    if (over) {
      return SendResult.CLOSED;
    }
    try {
      return open().send(slot);
    } catch (IllegalArgumentException e) {
      throw e; // the core's mistake, says the contract
    } catch (Throwable thrown) {
      broke("it cannot send", thrown);
      return SendResult.CLOSED;
    }
  }

  @Override
  public void flush() {
    try {
      open().flush();
    } catch (Throwable thrown) {
      broke("it cannot be flushed", thrown);
    }
  }

  @Override
  public void setReceiving(boolean receiving) {
    try {
      open().setReceiving(receiving);
    } catch (Throwable thrown) {
      broke("it cannot stop or resume receiving", thrown);
    }
  }

  @Override
  public Map<String, Long> figures() {
    try {
      return open().figures();
    } catch (Throwable thrown) {
      mishap.tell("it does not tell its figures", thrown);
      return Map.of();
    }
  }

  @Override
  public @Nullable BulkPort bulk() {
    try {
      return open().bulk();
    } catch (Throwable thrown) {
      mishap.tell("it does not tell how it moves large objects", thrown);
      return null;
    }
  }

  @Override
  public void moveTo(LinkDriver driver, Runnable there) {
    throw new UnsupportedOperationException("an upgraded link is made on its session's loop");
  }

  @Override
  public void close() {
    try {
      open().close();
    } catch (Throwable thrown) {
      broke("it cannot be closed", thrown);
    }
  }

  @Override
  public void abort(String reason) {
    try {
      open().abort(reason);
    } catch (Throwable thrown) {
      mishap.tell("it cannot be aborted", thrown);
      onClosed(reason);
    }
  }
}
