package io.verbena.core.session;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import io.verbena.core.upgrade.ProviderCalls;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
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
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of a session that go beside its better one, over adapters of their own. Objects are
 * spread over all of them; messages take none, until the better link is lost and one takes its
 * place. The client asks for them, one after the other, when an object is under way that is worth
 * them.
 *
 * <pre>
 *   client  RAIL_REQUEST {epoch, what I need} ──→
 *                           ←── UPGRADE_OFFER {epoch, how to connect} | UPGRADE_DECLINED {epoch, why}
 *   client  connects; each end says PING over its end of the rail, and uses the rail once it has
 *           heard the other's: what is granted by it then finds it there
 * </pre>
 *
 * <p>On the loop.
 */
final class Rails implements Participant {
  private static final Logger LOG = LoggerFactory.getLogger(Rails.class);
  private static final ThrottledLog FEWER =
      ThrottledLog.of(Rails.class, "sessions that go over fewer adapters than there are");

  private static final int NONE = 0;

  /** How often it is looked whether there are further adapters here. */
  private static final Duration LOOKS_EVERY = Duration.ofSeconds(10);

  /** A server has no more of them in a session. */
  private static final int MOST = 7;

  private final SessionImpl session;
  private final SessionLinks links;
  private final List<SessionLink> open = new ArrayList<>();

  /** Those whose other end is open, too, as objects take them. */
  private List<BulkPath> paths = List.of();

  /** The one that is asked for, or offered; none is while that is {@link #NONE}. */
  private int asked = NONE;

  /** Bounds the wait for the server's answer. */
  private long timer = Timers.NONE;

  /** Nothing is asked for before. */
  private long dueNanos;

  private long offeredNanos;
  private boolean waits;
  private Duration delay = Upgrade.FIRST_DELAY;

  Rails(SessionImpl session, SessionLinks links) {
    this.session = session;
    this.links = links;
  }

  /** Returns all that are open at this end. */
  List<SessionLink> open() {
    return open;
  }

  /** Returns those by which objects go, in the order in which they were made. */
  List<BulkPath> paths() {
    return paths;
  }

  /** Returns what a path says: the better link's words, and then those of each rail. */
  String beside(String better) {
    StringJoiner words = new StringJoiner(" + ").add(better);
    for (SessionLink rail : open) {
      if (paths.contains(rail.bulkPath())) {
        words.add(rail.link.capabilities().detail());
      }
    }
    return words.toString();
  }

  @Nullable SessionLink withEpoch(int epoch) {
    for (SessionLink rail : open) {
      if (rail.epoch == epoch) {
        return rail;
      }
    }
    return null;
  }

  // ---- asking ----

  /** An object is under way that is worth another rail. */
  void wanted() {
    SessionLink better = links.better();
    long now = session.loop().now();
    if (better == null
        || asked != NONE
        || (waits && now - dueNanos < 0)
        || !links.isUpgraded()
        || !session.role().isClient()) {
      return;
    }
    if (open.size() + 1 >= better.link.rails()) {
      waits = true; // adapters come seldom
      dueNanos = now + LOOKS_EVERY.toNanos();
      return;
    }
    try {
      URI peer = URI.create(better.link.peerAddress());
      byte[] content =
          ProviderCalls.ask(
              "request()", () -> session.upgrade().driver().request(peer, options(better)));
      asked = session.role().nextEpoch();
      timer =
          session
              .loop()
              .timers()
              .schedule(
                  now + NanoClock.nanos(options(better).connectTimeout()),
                  then -> {
                    timer = Timers.NONE;
                    failed("the server did not answer");
                  });
      session.upgrade().say(FrameKind.RAIL_REQUEST, new UpgradeMessage(asked, content));
    } catch (LinkException e) {
      failed(String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether an answer is to what was asked for here, and takes it then. */
  boolean takesAnswer(FrameKind kind, UpgradeMessage answer) {
    SessionLink better = links.better();
    if (answer.epoch() != asked || timer == Timers.NONE) {
      return false;
    }
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
    if (kind == FrameKind.UPGRADE_DECLINED || better == null) {
      failed(new String(answer.content(), StandardCharsets.UTF_8));
      return true;
    }
    session.upgrade().connect(answer.content(), options(better), outcome(asked));
    return true;
  }

  private void failed(String why) {
    SessionLink better = links.better();
    if (better != null && session.role().isClient()) {
      FEWER.info(
          "{} goes over %d of %d adapters here: {}".formatted(open.size() + 1, better.link.rails()),
          session.name(),
          why);
    }
    asked = NONE;
    backOff();
  }

  private void backOff() {
    waits = true;
    dueNanos = session.loop().now() + NanoClock.nanos(delay);
    delay = Upgrade.longer(delay);
  }

  private LinkOptions options(SessionLink better) {
    List<String> taken = new ArrayList<>();
    taken.add(better.link.localAddress());
    open.forEach(rail -> taken.add(rail.link.localAddress()));
    return session.context().link().beside(taken);
  }

  // ---- the server's side ----

  @Override
  public List<FrameKind> kinds() {
    return List.of(FrameKind.RAIL_REQUEST);
  }

  @Override
  public @Nullable String take(Message message) {
    if (session.role().isClient()) {
      return message.kind() + " from the wrong end";
    }
    UpgradeMessage request = UpgradeMessage.read(session.decoding(message));
    if (request.epoch() == NONE || links.withEpoch(request.epoch()) != null) {
      return "a rail with epoch " + request.epoch() + ", which a link cannot have, or has";
    }
    SessionLink better = links.better();
    SessionLink first = links.control();
    long now = session.loop().now();
    try {
      if (better == null || first == null) {
        throw new LinkException("there is no link that it could go beside", null);
      }
      if (open.size() >= MOST) {
        throw new LinkException("there are " + (MOST + 1) + " links already", null);
      }
      if (asked != NONE && now - offeredNanos < Upgrade.LEAST_BETWEEN.toNanos()) {
        throw new LinkException(
            "asked again within " + Upgrade.LEAST_BETWEEN.toMillis() + " ms", null);
      }
      offeredNanos = now;
      URI here = URI.create(first.link.localAddress());
      byte[] offer =
          ProviderCalls.ask(
              "offer()",
              () ->
                  session
                      .upgrade()
                      .driver()
                      .offer(request.content(), here, options(better), outcome(request.epoch())));
      asked = request.epoch();
      session.upgrade().say(FrameKind.UPGRADE_OFFER, new UpgradeMessage(asked, offer));
    } catch (LinkException e) {
      session.upgrade().sayDeclined(request.epoch(), String.valueOf(e.getMessage()));
    }
    return null;
  }

  // ---- both ----

  private LinkDriver.ConnectHandler outcome(int epoch) {
    return new LinkDriver.ConnectHandler() {
      @Override
      public LinkListener onConnected(Link link) {
        SessionLink rail = new SessionLink(session, link, epoch);
        boolean wanted = asked == epoch;
        asked = wanted ? NONE : asked;
        if (!wanted || open.size() >= MOST || links.better() == null || session.isEnded()) {
          rail.forget();
          link.abort("the session has no use for it any more");
          return rail;
        }
        delay = Upgrade.FIRST_DELAY;
        open.add(rail);
        rail.say(FrameKind.PING);
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

  /** The peer has said something over a link: if it is a rail, both its ends are open. */
  void heard(SessionLink rail) {
    BulkPath path = rail.bulkPath();
    if (path != null && open.contains(rail) && !paths.contains(path)) {
      List<BulkPath> more = new ArrayList<>(paths);
      more.add(path);
      paths = List.copyOf(more);
      LOG.debug("{} has {} beside its better link", session, rail);
      if (!links.ridesRail()) {
        session.pathChanged();
      }
    }
  }

  /** Puts what they were given on its way. */
  void flush() {
    for (int i = 0; i < open.size(); i++) {
      open.get(i).link.flush();
    }
  }

  // ---- their ends ----

  /** Returns a rail that takes the better link's place from now on; null if there is none. */
  @Nullable SessionLink takeAny() {
    for (SessionLink rail : open) {
      if (paths.contains(rail.bulkPath())) {
        return take(rail.epoch);
      }
    }
    return null;
  }

  /** Returns a rail by its number, which takes the better link's place; null if there is none. */
  @Nullable SessionLink take(int epoch) {
    SessionLink rail = withEpoch(epoch);
    if (rail != null) {
      leaves(rail);
      open.remove(rail);
    }
    return rail;
  }

  /** Objects do not take a link any more, if it is a rail. */
  void leaves(SessionLink rail) {
    if (open.contains(rail)) {
      List<BulkPath> left = new ArrayList<>();
      for (SessionLink one : open) {
        BulkPath path = one == rail ? null : one.bulkPath();
        if (path != null && paths.contains(path)) {
          left.add(path);
        }
      }
      paths = List.copyOf(left);
    }
  }

  /** A link is closed and drained, which may have been a rail. */
  void closed(SessionLink rail, String reason) {
    if (open.remove(rail)) {
      LOG.debug("{} has lost {}: {}", session, rail, reason);
      backOff();
      session.pathChanged();
    }
  }

  /** All links are being closed. */
  void forgetAll() {
    open.clear();
    paths = List.of();
    asked = NONE;
    session.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }
}
