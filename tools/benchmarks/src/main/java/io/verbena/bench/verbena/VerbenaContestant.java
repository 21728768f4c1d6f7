package io.verbena.bench.verbena;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.bench.load.AbsentException;
import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Contestant;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.core.VerbenaClient;
import io.verbena.link.UpgradeProvider;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Typed calls on one path. */
public final class VerbenaContestant implements Contestant {
  private static final Duration UPGRADE_PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_TRIES = 4;
  private static final Duration LOOK_EVERY = Duration.ofNanos(100_000);

  private final Route route;
  private final String address;
  private final @Nullable UpgradeProvider upgrades;
  private final VerbenaClient client;
  private final boolean extraCopy;

  /**
   * Makes a contestant for Verbena on a path.
   *
   * @param idling the idling of its event loops
   * @param extraCopy whether objects are copied once more before a put, to test whether a
   *     comparison finds it
   */
  public VerbenaContestant(Route route, String address, Idling idling, boolean extraCopy) {
    this.route = route;
    this.extraCopy = extraCopy;
    this.address = address;
    VerbenaClient.Builder builder = VerbenaClient.builder().connectTimeout(BenchHost.OPENS_WITHIN);
    idling.tell(builder::spin, builder::pollAlways);
    UpgradeProvider made = route.upgrades();
    if (made != null) {
      builder.upgrades(made);
    }
    this.upgrades = made;
    this.client = builder.path(route.policy()).limits(BenchHost.LIMITS).build();
  }

  /** Returns the name of a path in tables of figures. */
  public static String name(Route route) {
    return "verbena " + route.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String name() {
    return name(route);
  }

  @Override
  public boolean takes(Load load) {
    return route != Route.PREFER || load.kind() == Kind.CONNECT;
  }

  @Override
  public Caller connect(Load load) throws AbsentException {
    needDevice();
    Session session = upgraded(connect());
    if (load.kind() == Kind.CONNECT) {
      return new ConnectCaller(this, session);
    }
    if (load.kind() == Kind.MIXED) {
      return new MixedCaller(session, load);
    }
    if (load.kind().movesObjects()) {
      return new ObjectCaller(session, load, extraCopy);
    }
    return new SessionCaller(session, load.handler());
  }

  /** Fails at once on a host without a device. */
  private void needDevice() throws AbsentException {
    if (!route.isUpgrade()) {
      return;
    }
    UpgradeProvider made = upgrades;
    if (made == null) {
      throw new AbsentException("no RDMA link on the class path");
    }
    if (made.availability() instanceof UpgradeProvider.Availability.Unavailable none) {
      throw new AbsentException(none.reason());
    }
  }

  /**
   * Opens a session and waits until the measured path carries its calls.
   *
   * @throws RpcException if the server refuses the session
   */
  Session open() throws AbsentException {
    return upgraded(client.connect(address));
  }

  private Session upgraded(Session session) throws AbsentException {
    long until = System.nanoTime() + UPGRADE_PATIENCE.toNanos();
    while (!route.isOn(session.path().link())) {
      if (System.nanoTime() - until > 0 || !pause()) {
        String path = session.path().toString();
        session.close();
        throw new AbsentException("the session stays on " + path);
      }
    }
    return session;
  }

  /** Connects with a long time limit. The server has answered before, but may be emulated. */
  private Session connect() throws AbsentException {
    for (int tries = 1; ; tries++) {
      try {
        return client.connect(address);
      } catch (RpcException e) {
        if (tries == MOST_TRIES) {
          throw new AbsentException(String.valueOf(e.getMessage()));
        }
      }
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(LOOK_EVERY);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
