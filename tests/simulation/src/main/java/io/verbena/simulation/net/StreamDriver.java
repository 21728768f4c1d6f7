package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Steps the streams of one loop. Like the TCP link, it reads and delivers arrived bytes inside
 * {@link #await}, at the end of the wait.
 */
final class StreamDriver implements LinkDriver {
  private final VirtualNetwork network;
  private final NetHost host;
  private final Scheduler scheduler;
  private final List<StreamLink> links = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Backlog> listenings = new ArrayList<>();
  private final List<Runnable> arrivals = new ArrayList<>();
  private @Nullable Strand waiting;
  private boolean signalled;
  private boolean woken;
  private boolean closed;

  StreamDriver(VirtualNetwork network, NetHost host, Scheduler scheduler) {
    this.network = network;
    this.host = host;
    this.scheduler = scheduler;
  }

  void signal() {
    signalled = true;
    wakeStrand();
  }

  private void wakeStrand() {
    Strand strand = waiting;
    if (strand != null) {
      waiting = null;
      strand.wake();
    }
  }

  boolean isGone() {
    return closed;
  }

  @Override
  public int poll() {
    if (!signalled || closed) {
      return 0;
    }
    signalled = false;
    int work = 0;
    for (Backlog listening : List.copyOf(listenings)) {
      work += listening.accept();
    }
    for (Runnable arrival : takeArrivals()) {
      arrival.run();
      work++;
    }
    for (Attempt attempt : List.copyOf(attempts)) {
      if (attempt.isOver()) {
        attempts.remove(attempt);
        attempt.tell();
        work++;
      }
    }
    for (StreamLink link : List.copyOf(links)) {
      work += link.poll();
      link.leave();
    }
    return work;
  }

  @Override
  public int await(long nanos) {
    Strand strand = scheduler.strand();
    if (!signalled && !woken) {
      waiting = strand;
      strand.await(nanos);
      waiting = null;
    }
    woken = false;
    return poll();
  }

  @Override
  public boolean mayChangeThread() {
    return attempts.isEmpty() && arrivals.isEmpty();
  }

  @Override
  public void wakeup() {
    woken = true;
    wakeStrand();
  }

  @Override
  public void connect(URI address, LinkOptions options, ConnectHandler handler) {
    Attempt attempt = new Attempt(address, options, handler);
    attempts.add(attempt);
    network.ask(attempt, host, address);
  }

  @Override
  public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
      throws LinkException {
    if (host.listening(address.getPort()) != null) {
      throw new LinkException(address + " is taken; choose another port", null);
    }
    Backlog made = new Backlog(address, options, handler);
    host.listenings().add(made);
    listenings.add(made);
    return made;
  }

  int chunkBytes() {
    return network.chunkBytes();
  }

  /** Accepts a link from another loop. */
  void arrives(StreamLink link, Runnable there) {
    arrivals.add(
        () -> {
          opened(link);
          there.run();
        });
    signal();
  }

  private List<Runnable> takeArrivals() {
    List<Runnable> all = List.copyOf(arrivals);
    arrivals.clear();
    return all;
  }

  void opened(StreamLink link) {
    links.add(link);
    signal();
  }

  void ended(StreamLink link) {
    links.remove(link);
  }

  @Override
  public void close() {
    List.copyOf(listenings).forEach(Backlog::close);
    List.copyOf(attempts).forEach(Attempt::abandon);
    attempts.clear();
    takeArrivals().forEach(Runnable::run);
    List.copyOf(links).forEach(StreamLink::close);
    closed = true;
  }

  /** A connection that is being made. */
  final class Attempt {
    private final URI address;
    private final LinkOptions options;
    private final ConnectHandler handler;
    private final Agenda.Entry limit;
    private @Nullable StreamEnd end;
    private @Nullable String failure;
    private boolean over;

    Attempt(URI address, LinkOptions options, ConnectHandler handler) {
      this.address = address;
      this.options = options;
      this.handler = handler;
      long millis = options.connectTimeout().toMillis();
      String late = address + " did not answer within " + millis + " ms";
      limit = network.agenda().after(options.connectTimeout().toNanos(), () -> failed(late));
    }

    boolean isOver() {
      return over;
    }

    /** Called by the network when the peer's kernel has accepted the connection. */
    void connected(StreamEnd made) {
      if (over || isGone()) {
        made.setDriver(StreamDriver.this);
        made.kill();
        return;
      }
      made.setDriver(StreamDriver.this);
      end = made;
      settled();
    }

    /** Called by the network when the connection has failed. */
    void failed(String why) {
      if (!over) {
        failure = why;
        settled();
      }
    }

    private void settled() {
      over = true;
      limit.callOff();
      signal();
    }

    /** Called by the loop. Reports the result of an attempt that is over. */
    void tell() {
      StreamEnd made = end;
      if (made != null) {
        StreamLink link = new StreamLink(StreamDriver.this, made, options.maxFrameBytes());
        link.open(handler::onConnected);
      } else {
        handler.onFailed(new LinkException(String.valueOf(failure), null));
      }
    }

    /** Fails the attempt, because the loop ends. */
    void abandon() {
      StreamEnd made = end;
      if (made != null) {
        made.kill();
      }
      over = true;
      limit.callOff();
      handler.onFailed(
          new LinkException("the event loop was closed while connecting to " + address, null));
    }
  }

  /** A listening address. Connections wait in its backlog until the loop accepts them. */
  final class Backlog implements Listening {
    private final URI address;
    private final LinkOptions options;
    private final AcceptHandler handler;
    private final ArrayDeque<StreamEnd> waiting = new ArrayDeque<>();

    Backlog(URI address, LinkOptions options, AcceptHandler handler) {
      this.address = address;
      this.options = options;
      this.handler = handler;
    }

    void offer(StreamEnd end) {
      end.setDriver(StreamDriver.this);
      waiting.add(end);
      signal();
    }

    int accept() {
      int accepted = 0;
      @Nullable StreamEnd end;
      while ((end = waiting.poll()) != null) {
        StreamLink link = new StreamLink(StreamDriver.this, end, options.maxFrameBytes());
        link.open(handler::onAccepted);
        accepted++;
      }
      return accepted;
    }

    /** Removes the address, because its process has ended. */
    void vanish() {
      host.listenings().remove(this);
      waiting.clear();
    }

    @Override
    public URI address() {
      return address;
    }

    @Override
    public void close() {
      host.listenings().remove(this);
      listenings.remove(this);
      StreamEnd end;
      while ((end = waiting.poll()) != null) {
        end.kill();
      }
    }
  }
}
