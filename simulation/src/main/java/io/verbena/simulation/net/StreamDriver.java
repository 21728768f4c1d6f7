package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Steps the streams of one loop. As the TCP link does, it reads and hands over what arrives inside
 * {@link #await}, at the end of the wait.
 */
final class StreamDriver implements LinkDriver {
  private final VirtualNetwork network;
  private final NetHost host;
  private final Scheduler scheduler;
  private final List<StreamLink> links = new ArrayList<>();
  private final List<StreamAttempt> attempts = new ArrayList<>();
  private final List<StreamListening> listenings = new ArrayList<>();
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
    for (StreamListening listening : List.copyOf(listenings)) {
      work += listening.accept();
    }
    for (Runnable arrival : takeArrivals()) {
      arrival.run();
      work++;
    }
    for (StreamAttempt attempt : List.copyOf(attempts)) {
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
    Strand strand = scheduler.running();
    if (strand == null) {
      throw new IllegalStateException("only a strand waits");
    }
    if (!signalled && !woken) {
      waiting = strand;
      strand.await(nanos);
      waiting = null;
    }
    woken = false;
    return poll();
  }

  @Override
  public void wakeup() {
    woken = true;
    wakeStrand();
  }

  @Override
  public void connect(URI address, LinkOptions options, ConnectHandler handler) {
    StreamAttempt attempt = new StreamAttempt(this, network.agenda(), address, options, handler);
    attempts.add(attempt);
    network.ask(attempt, host, address);
  }

  @Override
  public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
      throws LinkException {
    StreamListening listening = network.listen(this, host, address, options, handler);
    listenings.add(listening);
    return listening;
  }

  int chunkBytes() {
    return network.chunkBytes();
  }

  /** A link comes from another loop. */
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

  void ended(StreamListening listening) {
    listenings.remove(listening);
  }

  @Override
  public void close() {
    List.copyOf(listenings).forEach(StreamListening::close);
    List.copyOf(attempts).forEach(StreamAttempt::abandon);
    attempts.clear();
    takeArrivals().forEach(Runnable::run);
    List.copyOf(links).forEach(StreamLink::close);
    closed = true;
  }
}
