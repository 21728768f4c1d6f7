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
import io.verbena.link.LinkDriver.ConnectHandler;
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
 * Moves a session to a better link, and again after such a link was lost. The client sends a
 * request, the server an offer, and the client connects. If a step fails, the session stays on its
 * link, and the path gives the reason. If there are several kinds of links, the client tries one
 * after the other until one works.
 *
 * <pre>
 *   client  HELLO if RDMA is required, else UPGRADE_REQUEST {epoch, requirements} ──→
 *                           ←── UPGRADE_OFFER {epoch, how to connect} | UPGRADE_DECLINED {epoch, reason}
 *           no answer within the connect time-out: the attempt has failed
 *   client  connects; each end changes its direction of the path when its end of the link is open
 * </pre>
 */
final class Upgrade implements Participant {
  private static final Logger LOG = LoggerFactory.getLogger(Upgrade.class);
  static final Duration FIRST_DELAY = Duration.ofSeconds(1);

  /**
   * The delay of a preferred upgrade after the session opened, and again after the server's first
   * message, unless another message ends it sooner. Making a link keeps both loops busy, so the
   * first call would wait for it.
   */
  private static final Duration HEAD_START = Duration.ofMillis(20);

  /** The number of such delays, at most, while the first call has no answer. */
  private static final int MOST_HEAD_STARTS = 10;

  private static final Duration LONGEST_DELAY = Duration.ofSeconds(60);

  /** A better link that was lost sooner may be lost again, so the delays keep growing. */
  private static final Duration SETTLED = Duration.ofSeconds(60);

  /** After so many such losses in a row, the next kind is tried first. */
  private static final int MOST_UNSETTLED = 3;

  /**
   * The shortest interval of requests, because each offer occupies resources of the device for a
   * while.
   */
  static final Duration LEAST_BETWEEN = Duration.ofMillis(100);

  /** The delay before an attempt with the next kind of link. */
  private static final Duration NEXT_KIND = LEAST_BETWEEN.multipliedBy(2);

  private static final int MOST_BYTES = 64 * 1024;

  /** The longest request in a greeting. A longer one is sent as a separate message. */
  private static final int MOST_GREETED_BYTES = 1024;

  private final EventLoop loop;
  private final SessionLinks links;
  private final SessionLife life;
  private final UpgradeOptions options;

  /** Whether this end requests upgrades. */
  private final boolean active;

  /** The provider of the link that is requested, offered or in use; null before the first. */
  private @Nullable UpgradeProvider kind;

  /** The index of the provider to try first. The others follow it in turn. */
  private int firstKind;

  /** The number of better links in a row that were lost before they had settled. */
  private int unsettled;

  /** The turn of the next attempt. Providers that cannot be used are skipped. */
  private int turn;

  /** The reasons why earlier providers failed, for the path. */
  private String failures = "";

  private int epoch;
  private boolean attempting;

  /** Whether the last attempt failed and the next has not begun. */
  private boolean hopeless;

  /** The request in the greeting; null when its link is open, or if there was none. */
  private @Nullable UpgradeMessage greeted;

  private boolean offered;
  private long offeredNanos;

  /**
   * The timer. It limits the wait for the server's answer, or else begins the next attempt. On a
   * server that requires RDMA it limits the wait for the client's request.
   */
  private long timer = Timers.NONE;

  /** The delay after the next failure or loss. */
  private Duration delay = FIRST_DELAY;

  /** Whether every request must wait until {@link #dueNanos}. */
  private boolean waits;

  private long dueNanos;
  private boolean up;
  private long upSinceNanos;

  Upgrade(SessionLinks links, SessionLife life) {
    this.links = links;
    this.life = life;
    this.loop = links.context.loop();
    this.options = links.context.upgrade();
    this.active = links.role.isClient();
  }

  /** The session has its first link. */
  void linked() {
    stop();
    offered = false;
    if (greeted != null) {
      epoch = greeted.epoch();
      greeted = null;
      awaitAnswer();
      return;
    }
    begin();
    if (active && isDue()) {
      firstAttempt();
    } else if (active) {
      retryLater();
    } else {
      String obstacle = obstacle(controlLink());
      hopeless = !obstacle.isEmpty();
      links.setNoBetter(hopeless ? obstacle : "the client has not requested a better link");
      if (!hopeless) {
        awaitRequest();
      }
    }
  }

  /**
   * Starts the wait for a request. A client sends it at once, or after it has lost the link. A
   * client that does not may never send one.
   */
  private void awaitRequest() {
    if (options.policy() == PathPolicy.REQUIRE_RDMA) {
      startTimer(linkOptions().connectTimeout(), () -> failed(links.whyNotBetter()));
    }
  }

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(FrameKind.UPGRADE_REQUEST);
  }

  @Override
  public @Nullable String take(Message message) {
    if (active) {
      return message.kind() + " from the end that must not send it";
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
      links.setNoBetter(SessionLinks.NOT_YET);
    }
  }

  /** The session's links are gone, or will be soon. */
  void stop() {
    stopTimer();
    links.afterMessage(null);
    if (up) {
      links.setNoBetter(name() + " lost, together with the session's first link");
    }
    if (up || attempting) {
      backOff();
    }
    attempting = false;
  }

  /**
   * The better link is gone. The session continues over its first link until there is a better one
   * again.
   */
  void lost(String why) {
    if (attempting) {
      return; // the outcome of the attempt gives a better reason
    }
    links.setNoBetter(name() + " lost: " + why);
    begin();
    backOff();
    if (active) {
      retryLater();
    } else if (timer == Timers.NONE) {
      awaitRequest();
    }
  }

  boolean isAttempting() {
    return attempting;
  }

  /** A rail has replaced the better link that was lost. */
  void tookRail() {
    stopTimer();
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

  /** Begins again with the first kind. */
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
   * Returns the reason why this end can have no better link now. If there is none, it selects the
   * first usable kind and returns an empty text.
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

  /** Returns the setting of this end that forbids better links, or "". */
  private String settingAgainst(@Nullable Link first) {
    if (options.policy() == PathPolicy.TCP_ONLY) {
      String kind = first == null ? "tcp" : first.capabilities().kind();
      return kind.equals("tcp") ? "tcp-only by policy" : "stays on " + kind + " by policy";
    }
    if (options.providers().isEmpty()) {
      return options.policy() == PathPolicy.REQUIRE_RDMA
          ? "no RDMA link on the class path"
          : "neither rpc-rdma nor rpc-shm on the class path";
    }
    if (first != null && first.capabilities().encrypted() && !options.allowPlaintextRdma()) {
      return "encrypted by TLS; allowPlaintextRdma is not set on the "
          + (active ? "client" : "server");
    }
    return "";
  }

  // ---- the client's side ----

  /**
   * Returns the request for the greeting over a first link, which the server answers right after
   * its welcome; null if calls need not wait for a better link, or if there is an obstacle.
   */
  @Nullable UpgradeMessage greets(Link first) {
    if (greeted != null) { // it had no answer
      greeted = null;
      backOff();
    }
    begin();
    boolean required = options.policy() == PathPolicy.REQUIRE_RDMA;
    if (required && isDue() && obstacle(first).isEmpty()) {
      try {
        UpgradeMessage request = request(first);
        greeted = request.content().length > MOST_GREETED_BYTES ? null : request;
      } catch (LinkException e) {
        LOG.debug("{} requests no better link in its greeting", life, e);
      }
    }
    return greeted;
  }

  /** Makes the first attempt over a first link, or gives the first call a head start. */
  private void firstAttempt() {
    if (options.policy() == PathPolicy.REQUIRE_RDMA) {
      attempt();
      return;
    }
    String obstacle = obstacle(controlLink());
    if (!obstacle.isEmpty()) {
      failed(obstacle);
    } else {
      links.afterMessage(this::firstAnswered);
      headStart(MOST_HEAD_STARTS - 1);
    }
  }

  /** Attempts after a head start, or after so many more while the first call has no answer. */
  private void headStart(int more) {
    startTimer(
        HEAD_START,
        () -> {
          if (more > 0 && links.participants.any(Participant::wantsLink)) {
            headStart(more - 1);
          } else {
            headStartEnds();
          }
        });
  }

  /**
   * The server's first message, most often the first answer, has come. The next one ends the head
   * start, because a session of a single call is closed soon, and needs no better link.
   */
  private void firstAnswered() {
    links.afterMessage(this::headStartEnds);
    headStart(0);
  }

  private void headStartEnds() {
    stopTimer();
    links.afterMessage(null);
    attempt();
  }

  /** Makes a request for the kind of link whose turn it is. */
  private UpgradeMessage request(Link first) throws LinkException {
    kind = inTurn();
    return request(URI.create(first.remoteAddress()), linkOptions());
  }

  /** Makes a request for one more link to the peer. */
  UpgradeMessage request(URI peer, LinkOptions how) throws LinkException {
    UpgradeDriver driver = driver();
    byte[] content = ProviderCalls.ask("request()", () -> driver.request(peer, how));
    return new UpgradeMessage(links.role.nextEpoch(), content);
  }

  private void attempt() {
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
      send(FrameKind.UPGRADE_REQUEST, request);
      awaitAnswer();
    } catch (LinkException e) {
      failed("upgrade failed: " + e.getMessage());
    }
  }

  private void awaitAnswer() {
    attempting = true;
    hopeless = false;
    startTimer(linkOptions().connectTimeout(), this::unanswered);
  }

  /**
   * The server does not answer the request. It answers pings, or the session would have lost its
   * link.
   */
  private void unanswered() {
    long millis = linkOptions().connectTimeout().toMillis();
    failed("upgrade failed: the server did not answer the request within " + millis + " ms");
  }

  private LinkOptions linkOptions() {
    return links.context.link();
  }

  void answered(FrameKind answers, UpgradeMessage answer) {
    if (!attempting || timer == Timers.NONE || answer.epoch() != epoch) {
      return; // the attempt is over, or has received its answer
    }
    stopTimer();
    if (answers == FrameKind.UPGRADE_DECLINED) {
      failed(new String(answer.content(), StandardCharsets.UTF_8));
      return;
    }
    connect(answer.content(), linkOptions(), outcome(answer.epoch()));
  }

  /**
   * Connects by an offer of the server. The outcome is reported even if connecting cannot begin.
   */
  void connect(byte[] offer, LinkOptions how, ConnectHandler outcome) {
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

  /** Returns the driver for better links on this loop. */
  private UpgradeDriver driver() throws LinkException {
    UpgradeProvider provider = kind;
    if (provider == null) {
      throw new LinkException("no RDMA link on the class path", null);
    }
    return loop.upgradeDriver(provider);
  }

  /** Delays the next request after a failure or a loss, longer each time. */
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
    // A random part is taken off, so that the sessions of a lost device do not all ask at once.
    long nanos = NanoClock.nanos(delay);
    dueNanos = now + nanos - loop.random().nextLong(nanos / 2 + 1);
    delay = longer(delay);
  }

  /** Returns the delay that follows a delay. */
  static Duration longer(Duration delay) {
    Duration doubled = delay.multipliedBy(2);
    return doubled.compareTo(LONGEST_DELAY) < 0 ? doubled : LONGEST_DELAY;
  }

  private boolean isDue() {
    return !waits || loop.now() - dueNanos >= 0;
  }

  private void retryLater() {
    if (timer == Timers.NONE && links.isOpen()) {
      startTimer(dueNanos, this::attempt);
    }
  }

  private void startTimer(Duration after, Runnable then) {
    startTimer(loop.now() + NanoClock.nanos(after), then);
  }

  /** Starts the timer, in place of a running one. */
  private void startTimer(long due, Runnable then) {
    stopTimer();
    timer =
        loop.timers()
            .schedule(
                due,
                now -> {
                  timer = Timers.NONE;
                  then.run();
                });
  }

  private void stopTimer() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /**
   * The attempt has failed. The next kind of link is tried soon. If there is none, the first kind
   * is tried later, unless the settings forbid it.
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
      links.setNoBetter(all);
      startTimer(NEXT_KIND, this::attempt);
      return;
    }
    begin();
    if (!options.providers().isEmpty() && options.policy() != PathPolicy.TCP_ONLY) {
      boolean mayGoOn = !active && options.providers().size() > 1;
      // Otherwise no one needs another kind.
      FallbackLog.stayed(
          life.name(), mayGoOn ? all + " (its client may request another kind of link)" : all);
    }
    hopeless = true;
    links.failedToUpgrade(all);
    if (active && settingAgainst(first).isEmpty()) {
      backOff();
      retryLater(); // a device may appear, or return
    }
  }

  /**
   * Returns whether no better link will be available soon. Calls that wait for one then fail at
   * once.
   */
  boolean isHopeless() {
    return hopeless;
  }

  // ---- the server's side ----

  /** Handles the client's request for a better link. */
  void requested(UpgradeMessage request) {
    int wanted = request.epoch();
    Link first = controlLink();
    if (first == null) {
      return;
    }
    String obstacle = settingAgainst(first);
    UpgradeProvider provider = obstacle.isEmpty() ? asksFor(request.content()) : null;
    if (obstacle.isEmpty() && provider == null) {
      sendDeclined(wanted, "it has no links of the requested kind");
      return; // the client may request another kind
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
      decline(wanted, "two requests came within " + LEAST_BETWEEN.toMillis() + " ms");
      return;
    }
    stopTimer();
    offered = true;
    offeredNanos = now;
    epoch = wanted;
    attempting = true;
    hopeless = false;
    kind = provider;
    try {
      offer(request, first, linkOptions(), outcome(wanted));
    } catch (LinkException e) {
      decline(wanted, String.valueOf(e.getMessage()));
    }
  }

  /** Offers the requested link to the client, at the address of the first link. */
  void offer(UpgradeMessage request, Link first, LinkOptions how, ConnectHandler outcome)
      throws LinkException {
    URI here = URI.create(first.localAddress());
    UpgradeDriver driver = driver();
    byte[] offer =
        ProviderCalls.ask("offer()", () -> driver.offer(request.content(), here, how, outcome));
    send(FrameKind.UPGRADE_OFFER, new UpgradeMessage(request.epoch(), offer));
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
    sendDeclined(wanted, why);
  }

  void sendDeclined(int wanted, String why) {
    byte[] words = ("on the server: " + why).getBytes(StandardCharsets.UTF_8);
    send(FrameKind.UPGRADE_DECLINED, new UpgradeMessage(wanted, words));
  }

  // ---- both ----

  /** Sends a message about a better link or a rail. */
  void send(FrameKind kind, UpgradeMessage body) {
    if (body.content().length > MOST_BYTES) {
      throw new IllegalArgumentException(body.content().length + " bytes for an upgrade");
    }
    links.enqueue(ControlFrame.message(kind, 0, body::write));
  }

  private ConnectHandler outcome(int attemptEpoch) {
    return new ConnectHandler() {
      @Override
      public LinkListener onConnected(Link link) {
        SessionLink sessionLink = new SessionLink(links, link, attemptEpoch);
        if (!attempting || epoch != attemptEpoch || life.isEnded()) {
          return sessionLink.discard();
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
