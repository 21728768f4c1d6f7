package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkProvider;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** A network of hosts, with the lines between them and their listeners. */
public final class VirtualNetwork {
  static final String SCHEME = "tcp";
  private static final long ASK_AGAIN_NANOS = 1_000_000_000L;

  private final Agenda agenda;
  private final SplittableRandom random;
  private final Map<String, NetHost> hosts = new HashMap<>();
  private final Map<String, NetHost> names = new HashMap<>();
  private final Map<String, Line> lines = new HashMap<>();
  private int chunkBytes = 64 << 10;

  public VirtualNetwork(Agenda agenda, SplittableRandom random) {
    this.agenda = agenda;
    this.random = random;
  }

  /** Sets the length of bulk writes, a power of two. */
  public void chunkBytes(int bytes) {
    chunkBytes = bytes;
  }

  /** Returns the provider of a host's links, for loops that are strands of a scheduler. */
  public LinkProvider links(NetHost host, Scheduler scheduler) {
    return new LinkProvider() {
      @Override
      public String scheme() {
        return SCHEME;
      }

      @Override
      public boolean linksMove() {
        return true;
      }

      @Override
      public LinkDriver newDriver(Runnable wakeLoop) {
        return new StreamDriver(VirtualNetwork.this, host, scheduler);
      }
    };
  }

  int chunkBytes() {
    return chunkBytes;
  }

  Agenda agenda() {
    return agenda;
  }

  /** Returns the host of an address, which is made on first use. */
  public NetHost host(String address) {
    return hosts.computeIfAbsent(address, NetHost::new);
  }

  /** Lets a name resolve to a host from now on. */
  public void name(String name, NetHost host) {
    names.put(name, host);
  }

  /** Returns the line between two hosts, which is made on first use. */
  public Line line(NetHost one, NetHost other) {
    boolean order = one.address().compareTo(other.address()) <= 0;
    String name =
        order ? one.address() + "-" + other.address() : other.address() + "-" + one.address();
    return lines.computeIfAbsent(name, Line::new);
  }

  /** Requests a connection from a host, and again each second without an answer. */
  void ask(StreamDriver.Attempt attempt, NetHost from, URI address) {
    NetHost to = names.getOrDefault(address.getHost(), hosts.get(address.getHost()));
    if (to == null) {
      agenda.after(1_000, () -> attempt.failed("no host has the address " + address.getHost()));
      return;
    }
    Line line = line(from, to);
    agenda.after(line.latencyNanos(), () -> arrive(attempt, from, to, line, address));
  }

  private void arrive(
      StreamDriver.Attempt attempt, NetHost from, NetHost to, Line line, URI address) {
    if (attempt.isOver()) {
      return;
    }
    if (line.isStalled()) {
      agenda.after(ASK_AGAIN_NANOS, () -> arrive(attempt, from, to, line, address));
      return;
    }
    StreamDriver.Backlog listening = to.listening(address.getPort());
    if (listening == null) {
      agenda.after(line.latencyNanos(), () -> attempt.failed("connection refused by " + address));
      return;
    }
    Pipe there = new Pipe(agenda, random.split(), line);
    Pipe back = new Pipe(agenda, random.split(), line);
    String near = SCHEME + "://" + from.address() + ":" + from.nextPort();
    String far = SCHEME + "://" + to.address() + ":" + address.getPort();
    StreamEnd client = new StreamEnd(from, back, there, near, far);
    StreamEnd server = new StreamEnd(to, there, back, far, near);
    there.between(client, server);
    back.between(server, client);
    listening.offer(server);
    agenda.after(line.latencyNanos(), () -> attempt.connected(client));
  }
}
