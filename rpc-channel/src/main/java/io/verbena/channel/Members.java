package io.verbena.channel;

import io.verbena.api.RpcException;
import io.verbena.api.SessionState;
import io.verbena.core.VerbenaClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The servers that the resolver found, each with a session. Safe for use by any thread. */
final class Members implements Resolver.Listener {
  private final ChannelSettings settings;
  private final VerbenaClient client;
  private final Resolver resolver;

  /** Replaced as a whole, under the lock. */
  private volatile List<Member> all = List.of();

  /**
   * The endpoints of the last result that cannot be used, with the reasons. Other endpoints are not
   * affected.
   */
  private volatile Map<Endpoint, String> unusable = Map.of();

  private volatile List<Endpoint> latest = List.of();
  private volatile boolean resolved;
  private volatile @Nullable String unresolved;
  private volatile boolean closed;

  /** Completes when calls that found no server may look again. */
  private volatile CompletableFuture<Void> change = new CompletableFuture<>();

  /**
   * The async calls among them. They are no actions of the change, which would keep those that end
   * before it.
   */
  private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

  Members(ChannelSettings settings, VerbenaClient client, Resolver resolver) {
    this.settings = settings;
    this.client = client;
    this.resolver = resolver;
  }

  /** The result of a look for a server. */
  sealed interface Pick {
    /** The call goes to this server. */
    record Found(Member member) implements Pick {}

    /** No server takes the call yet: look again when {@code change} completes. */
    record Later(CompletableFuture<Void> change) implements Pick {}

    /** No server takes the call, for this reason. */
    record None(String why, boolean closed) implements Pick {}
  }

  /**
   * Chooses a server.
   *
   * @param tried servers that the call has been to; they come last
   * @param moves whether to prefer a server that the call has not been to, if one is ready or soon
   *     may be
   */
  Pick pick(Balancer.Outgoing call, Set<Member> tried, boolean moves) {
    Pick pick = look(call, tried, moves);
    boolean none = pick instanceof Pick.None(_, boolean over) && !over;
    // A server may have become ready between the check for ready servers and the check for
    // promising ones.
    return none ? look(call, tried, moves) : pick;
  }

  private Pick look(Balancer.Outgoing call, Set<Member> tried, boolean moves) {
    CompletableFuture<Void> next = change; // read before looking
    List<Member> now = all;
    List<Member> among = usable(now, tried, moves);
    if (moves && tried.containsAll(among)) {
      if (now.stream().anyMatch(one -> isNew(one, tried))) {
        return new Pick.Later(next);
      }
      among = usable(now, tried, true); // a server may have become ready between these two looks
    }
    if (!among.isEmpty()) {
      return new Pick.Found(among.get(settings.balancer().choose(among, call)));
    }
    if (closed) {
      return new Pick.None("the channel is closed", true);
    }
    if (!now.isEmpty() && now.stream().allMatch(Member::isOver)) {
      return new Pick.None("the channel's client is closed", true);
    }
    boolean promising = now.stream().anyMatch(Member::isPromising) || isUnresolved();
    return promising || settings.waitForReady()
        ? new Pick.Later(next)
        : new Pick.None(why(now), false);
  }

  /** Returns a server for a hedge, one that the call has not been to; null if there is none. */
  @Nullable Member other(Balancer.Outgoing call, Set<Member> tried) {
    List<Member> among = usable(all, tried, false);
    among.removeAll(tried);
    return among.isEmpty() ? null : among.get(settings.balancer().choose(among, call));
  }

  /**
   * Returns whether there is a server that the call has not been to, and that is ready or connects
   * for the first time.
   */
  boolean hasOther(Set<Member> tried) {
    return all.stream()
        .anyMatch(member -> isNew(member, tried) || (member.isReady() && !tried.contains(member)));
  }

  /** A new channel may reach the server that takes the call last. */
  private static boolean isNew(Member member, Set<Member> tried) {
    return member.isNew() && !tried.contains(member);
  }

  private boolean isUnresolved() {
    return !resolved && unresolved == null;
  }

  /**
   * Returns the servers that a call may go to. Each preference in turn is dropped if it would leave
   * no server.
   */
  private List<Member> usable(List<Member> now, Set<Member> tried, boolean moves) {
    List<Member> among = new ArrayList<>(now.size());
    keep(now, among, Member::isReady);
    if (among.isEmpty()) {
      keep(now, among, Member::isResuming);
    }
    if (moves) { // rather a server that is left out than one that has refused the call
      among = narrowed(among, member -> !tried.contains(member));
    }
    among = narrowed(among, member -> !member.isEjected());
    if (!tried.isEmpty()) {
      among = narrowed(among, member -> !tried.contains(member));
    }
    if (!settings.zone().isEmpty()) {
      among = narrowed(among, member -> member.endpoint().zone().equals(settings.zone()));
    }
    return among;
  }

  private static void keep(List<Member> from, List<Member> to, Predicate<Member> which) {
    for (Member member : from) {
      if (which.test(member)) {
        to.add(member);
      }
    }
  }

  private static List<Member> narrowed(List<Member> among, Predicate<Member> which) {
    List<Member> kept = new ArrayList<>(among.size());
    keep(among, kept, which);
    return kept.isEmpty() ? among : kept;
  }

  /** Connects at once to each server that could not be reached, and looks for others. */
  void resetConnectBackoff() {
    resolver.refresh();
    all.forEach(Member::resetConnectBackoff);
    changed();
  }

  /** Returns whether no server takes calls. */
  boolean isOut() {
    return all.stream().noneMatch(member -> member.obstacle().isEmpty());
  }

  /** Returns why no server takes calls. */
  String why() {
    return closed ? "the channel is closed" : why(all);
  }

  private String why(List<Member> now) {
    List<String> whys = new ArrayList<>();
    for (Member member : now) {
      String obstacle = member.obstacle();
      String why = obstacle.isEmpty() ? "ready by now" : obstacle;
      whys.add(why.contains(member.toString()) ? why : member + ": " + why);
    }
    whys.addAll(unusable.values());
    if (whys.isEmpty()) {
      String failure = unresolved;
      return failure == null ? "the resolver knows no server" : failure;
    }
    return "none of %d servers takes calls: %s%s"
        .formatted(
            whys.size(),
            String.join("; ", whys.subList(0, Math.min(3, whys.size()))),
            whys.size() > 3 ? "; …" : "");
  }

  // ---- reports from the resolver ----

  @Override
  public void endpoints(List<Endpoint> told) {
    List<Member> gone = new ArrayList<>();
    List<Member> come = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      Map<String, Member> before = new LinkedHashMap<>();
      all.forEach(member -> before.put(member.endpoint().address(), member));
      Map<String, Endpoint> wanted = new LinkedHashMap<>();
      Map<Endpoint, String> wrong = new LinkedHashMap<>();
      for (Endpoint endpoint : told) {
        String why = before.containsKey(endpoint.address()) ? null : misfit(endpoint);
        if (why == null) {
          wanted.putIfAbsent(endpoint.address(), endpoint);
        } else {
          wrong.put(endpoint, why);
        }
      }
      List<Endpoint> chosen =
          Rendezvous.subset(List.copyOf(wanted.values()), settings.subset(), settings.subsetKey());
      List<Member> now = new ArrayList<>();
      for (Endpoint endpoint : chosen) {
        Member member = before.get(endpoint.address());
        if (member == null || !member.endpoint().authority().equals(endpoint.authority())) {
          try {
            member = new Member(settings, client, endpoint, resolver::refresh, this::changed);
          } catch (RpcException e) {
            wrong.put(endpoint, String.valueOf(e.getMessage()));
            continue;
          }
          come.add(member);
        } else {
          member.endpoint(endpoint);
          before.remove(endpoint.address());
        }
        now.add(member);
      }
      latest = told;
      if (now.size() < chosen.size()) {
        long delay = settings.reconnect().nanos(1, settings.random());
        Runnable _ = settings.time().after(delay, () -> again(told));
      }
      unusable = Collections.unmodifiableMap(wrong);
      gone.addAll(before.values());
      all = List.copyOf(now);
      resolved = true;
      unresolved = null;
    }
    gone.forEach(Member::retire);
    come.forEach(Member::start);
    changed();
  }

  /**
   * Tries unusable endpoints again: this process lacked a resource for a session, and may have it
   * by now.
   */
  private void again(List<Endpoint> told) {
    if (told == latest) {
      endpoints(told);
    }
  }

  private @Nullable String misfit(Endpoint endpoint) {
    try {
      client.checkAddress(endpoint.address());
      return null;
    } catch (IllegalArgumentException e) {
      return "the resolver found a malformed address: " + e.getMessage();
    }
  }

  @Override
  public void failed(String reason) {
    unresolved = reason;
    changed();
  }

  // ---- reports from members ----

  /** Lets calls that wait look again. */
  void changed() {
    CompletableFuture<Void> told;
    synchronized (this) {
      told = change;
      change = new CompletableFuture<>();
    }
    told.complete(null);
    List.copyOf(waiting).forEach(this::lookAgain); // a copy, since calls may begin to wait again
  }

  /** Lets an async call look again after a change that it was told of, unless it ends before. */
  void await(Runnable lookAgain, CompletableFuture<Void> change) {
    waiting.add(lookAgain);
    if (change.isDone()) {
      lookAgain(lookAgain);
    }
  }

  /** Forgets a call that has ended. */
  void forget(Runnable lookAgain) {
    waiting.remove(lookAgain);
  }

  private void lookAgain(Runnable lookAgain) {
    if (waiting.remove(lookAgain)) {
      lookAgain.run();
    }
  }

  List<ChannelStat.EndpointStat> stat() {
    List<ChannelStat.EndpointStat> stat = new ArrayList<>();
    all.forEach(member -> stat.add(member.stat()));
    unusable.forEach(
        (endpoint, why) ->
            stat.add(
                new ChannelStat.EndpointStat(endpoint, SessionState.ENDED, why, 0, 0, 0, false)));
    return stat;
  }

  void close() {
    List<Member> members;
    synchronized (this) {
      closed = true;
      members = all;
      all = List.of();
      unusable = Map.of();
    }
    members.forEach(Member::close);
    changed();
  }
}
