package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.PathPolicy;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Message;
import io.verbena.core.upgrade.ProviderCalls;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a session onto a better link, and back onto it after it was lost. The client asks, the
 * server offers, the client connects; whatever fails leaves the session where it is and says why.
 * Of several kinds the client asks for one after the other, until one is there.
 *
 * <pre>
 *   client  HELLO or, later, UPGRADE_REQUEST {epoch, what I need} ──→
 *                           ←── UPGRADE_OFFER {epoch, how to connect} | UPGRADE_DECLINED {epoch, why}
 *           no answer within the connect time-out: the attempt has failed
 *   client  connects; each end changes its direction of the path when its end of the link is open
 * </pre>
 */
final class Upgrade implements Participant {
  private static final Logger LOG = LoggerFactory.getLogger(Upgrade.class);
  static final Duration FIRST_DELAY = Duration.ofSeconds(1);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(60);

  /** A better link that was lost sooner may be lost again: the delays go on growing. */
  private static final Duration SETTLED = Duration.ofSeconds(60);

  /** After so many losses in a row, each sooner than that, the next kind is asked for before it. */
  private static final int MOST_UNSETTLED = 3;

  /** Each offer holds something of the device's for a while: nobody gets many. */
  static final Duration LEAST_BETWEEN = Duration.ofMillis(100);

  /** What follows an attempt that failed with another kind of link. */
  private static final Duration NEXT_KIND = LEAST_BETWEEN.multipliedBy(2);

  private static final int MOST_BYTES = 64 * 1024;

  /** What is longer has no place in a greeting, and is asked for by a message of its own. */
  private static final int MOST_GREETED_BYTES = 1024;

  private final EventLoop loop;
  private final SessionLinks links;
  private final SessionLife life;
  private final UpgradeOptions options;
  private boolean active;

  /** Makes the link that is asked for, offered, or in use; null before the first. */
  private @Nullable UpgradeProvider kind;

  /** The place of the provider whose turn comes first; the others follow it, round to it again. */
  private int firstKind;

  /** How many better links in a row were lost before they had settled. */
  private int unsettled;

  /** The next attempt is of the provider whose turn this is, or of one whose turn is later. */
  private int turn;

  /** Why those before it failed, for the path. */
  private String failures = "";

  private int epoch;
  private boolean attempting;

  /** The last attempt failed, and the next one is not under way. */
  private boolean hopeless;

  /** What the greeting has asked for; null when its link is there, or nothing was. */
  private @Nullable UpgradeMessage greeted;

  private boolean offered;
  private long offeredNanos;

  /**
   * Bounds the wait for the server's answer, or, where none is awaited, begins the next attempt; on
   * a server that must not go without, bounds the wait for the client's request.
   */
  private long timer = Timers.NONE;

  /** How long to wait when what is asked for next is not to be had, or is lost. */
  private Duration delay = FIRST_DELAY;

  /** Nothing is asked for before {@link #dueNanos}, by whichever way. */
  private boolean waits;

  private long dueNanos;
  private boolean up;
  private long upSinceNanos;

  Upgrade(SessionLinks links, SessionLife life) {
    this.links = links;
    this.life = life;
    this.loop = links.context.loop();
    this.options = links.context.upgrade();
  }

  /**
   * The session has its first link.
   *
   * @param isActive whether this end asks for upgrades: the client does
   */
  void attached(boolean isActive) {
    stop();
    active = isActive;
    offered = false;
    if (greeted != null) {
      epoch = greeted.epoch();
      greeted = null;
      awaitAnswer();
      return;
    }
    begin();
    if (active && isDue()) {
      attempt();
    } else if (active) {
      retryLater();
    } else {
      String obstacle = obstacle(controlLink());
      hopeless = !obstacle.isEmpty();
      links.hasNoBetter(hopeless ? obstacle : "the client has not asked for RDMA");
      if (!hopeless) {
        awaitRequest();
      }
    }
  }

  /** A client asks at once, or when it has lost the link; one that does not may never. */
  private void awaitRequest() {
    if (options.policy() == PathPolicy.REQUIRE_RDMA) {
      timer = schedule(linkOptions().connectTimeout(), this::notAsked);
    }
  }

  private void notAsked() {
    timer = Timers.NONE;
    failed(links.whyNotBetter());
  }

  @Override
  public List<FrameKind> kinds() {
    return List.of(FrameKind.UPGRADE_REQUEST);
  }

  @Override
  public @Nullable String take(Message message) {
    if (links.role.isClient()) {
      return message.kind() + " from the wrong end";
    }
    requested(UpgradeMessage.read(links.decoding(message)));
    return null;
  }

  @Override
  public void peerGone(RpcStatus status, String why, boolean forGood) {
    if (!forGood) { // the next peer is another one
      delay = FIRST_DELAY;
      waits = false;
      greeted = null;
      firstKind = 0;
      unsettled = 0;
      links.hasNoBetter(SessionLinks.NOT_YET);
    }
  }

  /** The session's links are gone, or about to go. */
  void stop() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
    if (up) {
      links.hasNoBetter(name() + " lost, and the session's first link with it");
    }
    if (up || attempting) {
      backOff();
    }
    attempting = false;
  }

  /** The better link is gone; the session goes on over its first one until it can be had again. */
  void lost(String why) {
    if (attempting) {
      return; // the attempt's own outcome says more
    }
    links.hasNoBetter(name() + " lost: " + why);
    begin();
    backOff();
    if (active) {
      retryLater();
    } else if (timer == Timers.NONE) {
      awaitRequest();
    }
  }

  /** Returns whether a better link is being made. */
  boolean isAttempting() {
    return attempting;
  }

  /** A rail has taken the place of the better link that was lost. */
  void tookRail() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
    waits = false;
    attempting = false;
    hopeless = false;
    up = true;
    upSinceNanos = loop.now();
  }

  private @Nullable Link controlLink() {
    SessionLink control = links.control();
    return control == null ? null : control.link;
  }

  /** The next attempt is of the first kind again. */
  private void begin() {
    turn = 0;
    failures = "";
  }

  private UpgradeProvider inTurn() {
    List<UpgradeProvider> providers = options.providers();
    return providers.get((firstKind + turn) % providers.size());
  }

  private String name() {
    UpgradeProvider provider = kind;
    return provider == null ? "rdma" : ProviderCalls.kind(provider);
  }

  /**
   * Returns what keeps this end from better links now; or an empty text, and it is the turn of the
   * first kind that may be had.
   */
  private String obstacle(@Nullable Link first) {
    List<UpgradeProvider> providers = options.providers();
    String setting = settingAgainst(first);
    Set<String> obstacles = new LinkedHashSet<>();
    String outOfReach = "";
    for (; setting.isEmpty() && turn < providers.size(); turn++) {
      UpgradeProvider provider = inTurn();
      String far =
          first == null
              ? ""
              : ProviderCalls.outOfReach(provider, URI.create(first.remoteAddress()));
      if (!far.isEmpty()) {
        outOfReach = far;
      } else if (ProviderCalls.availability(provider) instanceof Availability.Unavailable none) {
        obstacles.add(none.reason());
      } else {
        return "";
      }
    }
    turn = providers.size();
    if (!setting.isEmpty()) {
      return setting;
    }
    return obstacles.isEmpty() ? outOfReach : String.join("; ", obstacles);
  }

  /** Returns what in this end's settings keeps the session from better links for good, or "". */
  private String settingAgainst(@Nullable Link first) {
    if (options.policy() == PathPolicy.TCP_ONLY) {
      String kind = first == null ? "tcp" : first.capabilities().kind();
      return kind.equals("tcp") ? "tcp-only by policy" : "stays on " + kind + " by policy";
    }
    if (options.providers().isEmpty()) {
      return "no RDMA link on the class path";
    }
    if (first != null && first.capabilities().encrypted() && !options.allowPlaintextRdma()) {
      return "encrypted by TLS; allowPlaintextRdma is not set on the "
          + (links.role.isClient() ? "client" : "server");
    }
    return "";
  }

  // ---- the client's side ----

  /**
   * The session greets its server over a first link: returns what to ask for with that, to be
   * answered right behind the welcome; null where there is something in the way.
   */
  @Nullable UpgradeMessage greets(Link first) {
    if (greeted != null) { // it had no answer
      greeted = null;
      backOff();
    }
    begin();
    if (isDue() && obstacle(first).isEmpty()) {
      try {
        UpgradeMessage request = request(first);
        greeted = request.content().length > MOST_GREETED_BYTES ? null : request;
      } catch (LinkException e) {
        LOG.debug("{} asks for no better link with its greeting", life, e);
      }
    }
    return greeted;
  }

  /** Asks for a link of the kind whose turn it is. */
  private UpgradeMessage request(Link first) throws LinkException {
    kind = inTurn();
    URI peer = URI.create(first.remoteAddress());
    UpgradeDriver driver = driver();
    byte[] content = ProviderCalls.ask("request()", () -> driver.request(peer, linkOptions()));
    return new UpgradeMessage(links.role.nextEpoch(), content);
  }

  private void attempt() {
    timer = Timers.NONE;
    Link first = controlLink();
    if (first == null) {
      return;
    }
    try {
      String obstacle = obstacle(first);
      if (!obstacle.isEmpty()) {
        failed(obstacle);
        return;
      }
      UpgradeMessage request = request(first);
      epoch = request.epoch();
      say(FrameKind.UPGRADE_REQUEST, request);
      awaitAnswer();
    } catch (LinkException e) {
      failed("upgrade failed: " + e.getMessage());
    }
  }

  private void awaitAnswer() {
    attempting = true;
    hopeless = false;
    timer = schedule(linkOptions().connectTimeout(), this::unanswered);
  }

  /** Whatever the server is about, it answers pings, or the session would have lost its link. */
  private void unanswered() {
    timer = Timers.NONE;
    long millis = linkOptions().connectTimeout().toMillis();
    failed("upgrade failed: the server did not answer the request for it within " + millis + " ms");
  }

  private LinkOptions linkOptions() {
    return links.context.link();
  }

  /** The server's answer to a request. */
  void answered(FrameKind answers, UpgradeMessage answer) {
    if (!attempting || timer == Timers.NONE || answer.epoch() != epoch) {
      return; // to an attempt that is over, or has had its answer
    }
    loop.timers().cancel(timer);
    timer = Timers.NONE;
    if (answers == FrameKind.UPGRADE_DECLINED) {
      failed(new String(answer.content(), StandardCharsets.UTF_8));
      return;
    }
    connect(answer.content(), linkOptions(), outcome(answer.epoch()));
  }

  /** Connects by an offer of the server's; the outcome is told, if it does not even begin. */
  void connect(byte[] offer, LinkOptions how, LinkDriver.ConnectHandler outcome) {
    try {
      UpgradeDriver driver = driver();
      ProviderCalls.ask(
          "connect()",
          () -> {
            driver.connect(offer, how, outcome);
            return driver;
          });
    } catch (LinkException e) {
      outcome.onFailed(e);
    }
  }

  /** Returns what makes better links on this loop. */
  UpgradeDriver driver() throws LinkException {
    UpgradeProvider provider = kind;
    if (provider == null) {
      throw new LinkException("no RDMA link on the class path", null);
    }
    return loop.upgradeDriver(provider);
  }

  /** What was asked for is not to be had, or is lost: the next is asked for later each time. */
  private void backOff() {
    long now = loop.now();
    if (up && now - upSinceNanos >= NanoClock.nanos(SETTLED)) {
      delay = FIRST_DELAY;
      firstKind = 0;
      unsettled = 0;
    } else if (up && ++unsettled == MOST_UNSETTLED) {
      firstKind = options.providers().indexOf(kind) + 1;
      unsettled = 0;
    }
    up = false;
    waits = true;
    dueNanos = now + NanoClock.nanos(byChance(delay));
    delay = longer(delay);
  }

  /** Returns what comes after a delay. */
  static Duration longer(Duration delay) {
    Duration doubled = delay.multipliedBy(2);
    return doubled.compareTo(LONGEST_DELAY) < 0 ? doubled : LONGEST_DELAY;
  }

  private boolean isDue() {
    return !waits || loop.now() - dueNanos >= 0;
  }

  private void retryLater() {
    if (timer == Timers.NONE && links.isOpen()) {
      timer = loop.timers().schedule(dueNanos, now -> attempt());
    }
  }

  /** Between half of it and the whole: sessions that lost one device do not all ask at once. */
  private Duration byChance(Duration whole) {
    long nanos = NanoClock.nanos(whole);
    return Duration.ofNanos(nanos - loop.random().nextLong(nanos / 2 + 1));
  }

  private long schedule(Duration after, Runnable then) {
    return loop.timers().schedule(loop.now() + NanoClock.nanos(after), now -> then.run());
  }

  /**
   * The attempt is over. The next kind of link is asked for soon, and where there is none, the
   * first one again later, unless the settings are against it.
   */
  private void failed(String why) {
    LOG.debug("{} stays as it is: {}", life, why);
    attempting = false;
    Link first = controlLink();
    turn++;
    boolean more = active && first != null && turn < options.providers().size();
    String rest = more ? obstacle(first) : "";
    String all =
        Stream.of(failures, why, rest)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; "));
    if (more && rest.isEmpty()) {
      failures = all;
      links.hasNoBetter(all);
      timer = schedule(NEXT_KIND, this::attempt);
      return;
    }
    begin();
    if (!options.providers().isEmpty() && options.policy() != PathPolicy.TCP_ONLY) {
      boolean mayGoOn = !active && options.providers().size() > 1;
      // Else nobody wants another.
      FallbackLog.stayed(
          life.name(), mayGoOn ? all + " (its client may ask for another kind of link)" : all);
    }
    hopeless = true;
    links.failedToUpgrade(all);
    if (active && settingAgainst(first).isEmpty()) {
      backOff();
      retryLater(); // a device may come, or come back
    }
  }

  /** Returns whether no better link is to be had soon: what waits for one fails at once. */
  boolean isHopeless() {
    return hopeless;
  }

  // ---- the server's side ----

  /** The client asks for a better link. */
  void requested(UpgradeMessage request) {
    int wanted = request.epoch();
    Link first = controlLink();
    if (first == null) {
      return;
    }
    String obstacle = settingAgainst(first);
    UpgradeProvider provider = obstacle.isEmpty() ? asksFor(request.content()) : null;
    if (obstacle.isEmpty() && provider == null) {
      sayDeclined(wanted, "it has no links of the kind that was asked for");
      return; // the client may ask for another kind
    }
    if (provider != null
        && ProviderCalls.availability(provider) instanceof Availability.Unavailable none) {
      obstacle = none.reason();
    }
    if (!obstacle.isEmpty()) {
      decline(wanted, obstacle);
      return;
    }
    long now = loop.now();
    if (offered && now - offeredNanos < LEAST_BETWEEN.toNanos()) {
      decline(wanted, "asked again within " + LEAST_BETWEEN.toMillis() + " ms");
      return;
    }
    loop.timers().cancel(timer);
    timer = Timers.NONE;
    offered = true;
    offeredNanos = now;
    epoch = wanted;
    attempting = true;
    hopeless = false;
    kind = provider;
    try {
      URI here = URI.create(first.localAddress());
      UpgradeDriver driver = driver();
      byte[] offer =
          ProviderCalls.ask(
              "offer()",
              () -> driver.offer(request.content(), here, linkOptions(), outcome(wanted)));
      say(FrameKind.UPGRADE_OFFER, new UpgradeMessage(wanted, offer));
    } catch (LinkException e) {
      decline(wanted, String.valueOf(e.getMessage()));
    }
  }

  private @Nullable UpgradeProvider asksFor(byte[] request) {
    for (UpgradeProvider one : options.providers()) {
      if (ProviderCalls.understands(one, request)) {
        return one;
      }
    }
    return null;
  }

  private void decline(int wanted, String why) {
    failed(why);
    sayDeclined(wanted, why);
  }

  /** Tells the client that the link which it asked for is not to be had. */
  void sayDeclined(int wanted, String why) {
    byte[] words = ("on the server: " + why).getBytes(StandardCharsets.UTF_8);
    say(FrameKind.UPGRADE_DECLINED, new UpgradeMessage(wanted, words));
  }

  // ---- both ----

  /** Sends a message about a better link, or about one beside it. */
  void say(FrameKind kind, UpgradeMessage body) {
    if (body.content().length > MOST_BYTES) {
      throw new IllegalArgumentException(body.content().length + " bytes for an upgrade");
    }
    links.enqueue(ControlFrame.message(kind, 0, body::write));
  }

  private LinkDriver.ConnectHandler outcome(int attemptEpoch) {
    return new LinkDriver.ConnectHandler() {
      @Override
      public LinkListener onConnected(Link link) {
        SessionLink sessionLink = new SessionLink(links, link, attemptEpoch);
        if (!attempting || epoch != attemptEpoch || life.isEnded()) {
          sessionLink.forget();
          link.abort("the session has no use for it any more");
          return sessionLink;
        }
        begin();
        attempting = false;
        up = true;
        upSinceNanos = loop.now();
        links.upgrade(sessionLink);
        return sessionLink;
      }

      @Override
      public void onFailed(LinkException failure) {
        if (attempting && epoch == attemptEpoch) {
          failed("upgrade failed: " + links.whyEnded(String.valueOf(failure.getMessage())));
        }
      }
    };
  }
}
