package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds {@link Rails} to a session. The client requests them, one after the other, when a transfer
 * is large enough for them.
 *
 * <pre>
 *   client  RAIL_REQUEST {epoch, what I need} ──→
 *                           ←── UPGRADE_OFFER {epoch, how to connect} | UPGRADE_DECLINED {epoch, reason}
 *   client  connects; each end says PING over its end of the rail, and uses the rail once it has
 *           heard the other's: what is granted by it then finds it there
 * </pre>
 *
 * <p>On the loop.
 */
final class RailRequests implements Participant, Timers.Timer {
  private static final ThrottledLog FEWER =
      ThrottledLog.of(RailRequests.class, "sessions that go over fewer adapters than there are");

  private static final int NONE = 0;

  /** The interval of checks for further adapters here. */
  private static final Duration LOOKS_EVERY = Duration.ofSeconds(10);

  private static final int MOST = 7;

  private final SessionLinks links;
  private final Upgrade upgrade;
  private final SessionLife life;
  private final Rails rails;
  private final EventLoop loop;

  /** The epoch of the rail that is requested or offered; {@link #NONE} for none. */
  private int asked = NONE;

  /** Bounds the wait for the server's answer. */
  private long timer = Timers.NONE;

  /** The earliest time of the next request. */
  private long dueNanos;

  private long offeredNanos;
  private boolean waits;
  private Duration delay = Upgrade.FIRST_DELAY;

  RailRequests(SessionLinks links, Upgrade upgrade, SessionLife life) {
    this.links = links;
    this.upgrade = upgrade;
    this.life = life;
    this.rails = links.rails;
    this.loop = links.context.loop();
  }

  // ---- requests ----

  /** A transfer is large enough for another rail. */
  void wanted() {
    SessionLink better = links.better();
    long now = loop.now();
    if (better == null
        || asked != NONE
        || (waits && now - dueNanos < 0)
        || !links.isUpgraded()
        || !links.role.isClient()) {
      return;
    }
    if (rails.open.size() + 1 >= better.link.rails()) {
      waits = true; // a new adapter is rare
      dueNanos = now + LOOKS_EVERY.toNanos();
      return;
    }
    try {
      LinkOptions how = options(better);
      UpgradeMessage request = upgrade.request(URI.create(better.link.peerAddress()), how);
      asked = request.epoch();
      timer = loop.timers().schedule(now + NanoClock.nanos(how.connectTimeout()), this);
      upgrade.send(FrameKind.RAIL_REQUEST, request);
    } catch (LinkException e) {
      failed(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    failed("the server did not answer");
  }

  /** Handles the server's answer if it belongs to the present request. Returns whether it does. */
  private boolean answered(FrameKind kind, UpgradeMessage answer) {
    SessionLink better = links.better();
    if (answer.epoch() != asked || timer == Timers.NONE) {
      return false;
    }
    stopTimer();
    if (kind == FrameKind.UPGRADE_DECLINED || better == null) {
      failed(new String(answer.content(), StandardCharsets.UTF_8));
      return true;
    }
    upgrade.connect(answer.content(), options(better), outcome(asked));
    return true;
  }

  private void failed(String why) {
    SessionLink better = links.better();
    if (better != null && links.role.isClient()) {
      FEWER.info(
          "{} goes over %d of %d adapters here: {}"
              .formatted(rails.open.size() + 1, better.link.rails()),
          life.name(),
          why);
    }
    asked = NONE;
    backOff();
  }

  /** Delays the next request after a failure, or after the loss of a rail. */
  void backOff() {
    waits = true;
    dueNanos = loop.now() + NanoClock.nanos(delay);
    delay = Upgrade.longer(delay);
  }

  private LinkOptions options(SessionLink better) {
    List<String> taken = new ArrayList<>();
    taken.add(better.link.localAddress());
    rails.open.forEach(rail -> taken.add(rail.link.localAddress()));
    return links.context.link().withBeside(taken);
  }

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(FrameKind.RAIL_REQUEST, FrameKind.UPGRADE_OFFER, FrameKind.UPGRADE_DECLINED);
  }

  @Override
  public @Nullable String take(Message message) {
    FrameKind kind = message.kind();
    if (links.role.isClient() == (kind == FrameKind.RAIL_REQUEST)) {
      return kind + " from the end that must not send it";
    }
    UpgradeMessage body = UpgradeMessage.read(links.decoding(message));
    if (kind == FrameKind.RAIL_REQUEST) {
      return requested(body);
    }
    if (!answered(kind, body)) {
      upgrade.answered(kind, body);
    }
    return null;
  }

  // ---- the server's side ----

  private @Nullable String requested(UpgradeMessage request) {
    if (request.epoch() == NONE || links.withEpoch(request.epoch()) != null) {
      return "a rail with epoch " + request.epoch() + ", which is invalid or in use";
    }
    SessionLink better = links.better();
    SessionLink first = links.control();
    long now = loop.now();
    try {
      if (better == null || first == null) {
        throw new LinkException("the session has no better link to add it to", null);
      }
      if (rails.open.size() >= MOST) {
        throw new LinkException("there are " + (MOST + 1) + " links already", null);
      }
      if (asked != NONE && now - offeredNanos < Upgrade.LEAST_BETWEEN.toNanos()) {
        throw new LinkException(
            "two requests came within " + Upgrade.LEAST_BETWEEN.toMillis() + " ms", null);
      }
      offeredNanos = now;
      upgrade.offer(request, first.link, options(better), outcome(request.epoch()));
      asked = request.epoch();
    } catch (LinkException e) {
      upgrade.sendDeclined(request.epoch(), String.valueOf(e.getMessage()));
    }
    return null;
  }

  // ---- both ----

  private ConnectHandler outcome(int epoch) {
    return new ConnectHandler() {
      @Override
      public LinkListener onConnected(Link link) {
        SessionLink rail = new SessionLink(links, link, epoch);
        boolean wanted = asked == epoch;
        asked = wanted ? NONE : asked;
        if (!wanted || rails.open.size() >= MOST || links.better() == null || life.isEnded()) {
          return rail.discard();
        }
        delay = Upgrade.FIRST_DELAY;
        rails.open.add(rail);
        rail.send(FrameKind.PING);
        return rail;
      }

      @Override
      public void onFailed(LinkException failure) {
        if (asked == epoch) {
          failed(String.valueOf(failure.getMessage()));
        }
      }
    };
  }

  /** All links are being closed. */
  void stop() {
    asked = NONE;
    stopTimer();
  }

  private void stopTimer() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }
}
