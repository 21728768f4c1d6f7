package io.verbena.channel;

import io.verbena.core.VerbenaClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a channel: those that its resolver tells, each with a session. Safe for any
 * thread.
 */
final class Members implements Resolver.Listener {
  private final ChannelSettings settings;
  private final VerbenaClient client;
  private final Resolver resolver;

  /** Replaced as a whole, under the lock. */
  private volatile List<Member> all = List.of();

  private volatile boolean resolved;
  private volatile @Nullable String unresolved;
  private volatile boolean closed;

  /** Completes when a call that found no server may look again. */
  private volatile CompletableFuture<Void> change = new CompletableFuture<>();

  Members(ChannelSettings settings, VerbenaClient client, Resolver resolver) {
    this.settings = settings;
    this.client = client;
    this.resolver = resolver;
  }

  /** Where a call may go. */
  sealed interface Pick {
    /** To this server. */
    record Found(Member member) implements Pick {}

    /** To none yet: look again after this. */
    record Later(CompletableFuture<Void> change) implements Pick {}

    /** To none, for this reason. */
    record None(String why, boolean closed) implements Pick {}
  }

  /**
   * Chooses a server.
   *
   * @param tried those where the call was already; they come last
   */
  Pick pick(Balancer.Outgoing call, Set<Member> tried) {
    CompletableFuture<Void> next = change; // before looking
    List<Member> now = all;
    List<Member> among = usable(now, tried);
    if (!among.isEmpty()) {
      return new Pick.Found(among.get(settings.balancer().choose(among, call)));
    }
    if (closed) {
      return new Pick.None("the channel is closed", true);
    }
    boolean promising = now.stream().anyMatch(Member::isPromising) || isUnresolved();
    return promising || settings.waitForReady()
        ? new Pick.Later(next)
        : new Pick.None(why(now), false);
  }

  /** Returns a server where the call was not yet, for a hedge; null if there is none. */
  @Nullable Member other(Balancer.Outgoing call, Set<Member> tried) {
    List<Member> among = usable(all, tried);
    among.removeAll(tried);
    return among.isEmpty() ? null : among.get(settings.balancer().choose(among, call));
  }

  /** Returns whether there is a ready server where the call was not yet. */
  boolean hasOther(Set<Member> tried) {
    return all.stream().anyMatch(member -> member.isReady() && !tried.contains(member));
  }

  private boolean isUnresolved() {
    return !resolved && unresolved == null;
  }

  /** Each wish in turn holds unless nobody would be left. */
  private List<Member> usable(List<Member> now, Set<Member> tried) {
    List<Member> among = new ArrayList<>(now.size());
    keep(now, among, Member::isReady);
    if (among.isEmpty()) {
      keep(now, among, Member::isResuming);
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

  /** Returns why no server takes calls. */
  String why() {
    return why(all);
  }

  private String why(List<Member> now) {
    if (now.isEmpty()) {
      String failure = unresolved;
      return failure == null ? "the resolver knows no server" : failure;
    }
    StringBuilder why = new StringBuilder("none of " + now.size() + " servers takes calls: ");
    for (int i = 0; i < Math.min(3, now.size()); i++) {
      why.append(i == 0 ? "" : "; ").append(now.get(i)).append(": ").append(now.get(i).obstacle());
    }
    return why.append(now.size() > 3 ? "; …" : "").toString();
  }

  // ---- what the resolver tells ----

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
      told.forEach(endpoint -> wanted.putIfAbsent(endpoint.address(), endpoint));
      List<Endpoint> chosen =
          Rendezvous.subset(List.copyOf(wanted.values()), settings.subset(), settings.subsetKey());
      List<Member> now = new ArrayList<>();
      for (Endpoint endpoint : chosen) {
        Member member = before.remove(endpoint.address());
        if (member == null) {
          member = new Member(settings, client, this, endpoint);
          come.add(member);
        } else {
          member.endpoint(endpoint);
        }
        now.add(member);
      }
      gone.addAll(before.values());
      all = List.copyOf(now);
      resolved = true;
      unresolved = null;
    }
    gone.forEach(Member::retire);
    come.forEach(Member::start);
    changed();
  }

  @Override
  public void failed(String reason) {
    unresolved = reason;
    changed();
  }

  // ---- what members tell ----

  /** A server could not be reached, or is gone: there may be others. */
  void unreachable() {
    resolver.refresh();
  }

  /** Calls that wait look again. */
  void changed() {
    CompletableFuture<Void> told;
    synchronized (this) {
      told = change;
      change = new CompletableFuture<>();
    }
    told.complete(null);
  }

  List<ChannelStat.EndpointStat> stat() {
    return all.stream().map(Member::stat).toList();
  }

  void close() {
    List<Member> members;
    synchronized (this) {
      closed = true;
      members = all;
      all = List.of();
    }
    members.forEach(Member::close);
    changed();
  }
}
