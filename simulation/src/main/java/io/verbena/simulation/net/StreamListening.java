package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import java.net.URI;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A listening address; connections wait in its backlog until the loop takes them. */
final class StreamListening implements LinkDriver.Listening {
  private final StreamDriver driver;
  private final NetHost host;
  private final URI address;
  private final LinkOptions options;
  private final LinkDriver.AcceptHandler handler;
  private final ArrayDeque<StreamEnd> backlog = new ArrayDeque<>();

  StreamListening(
      StreamDriver driver,
      NetHost host,
      URI address,
      LinkOptions options,
      LinkDriver.AcceptHandler handler) {
    this.driver = driver;
    this.host = host;
    this.address = address;
    this.options = options;
    this.handler = handler;
  }

  int port() {
    return address.getPort();
  }

  void offer(StreamEnd end) {
    end.belongsTo(driver);
    backlog.add(end);
    driver.signal();
  }

  int accept() {
    int accepted = 0;
    @Nullable StreamEnd end;
    while ((end = backlog.poll()) != null) {
      StreamLink link = new StreamLink(driver, end, options.maxFrameBytes());
      link.open(handler::onAccepted);
      accepted++;
    }
    return accepted;
  }

  /** Its process ended. */
  void vanish() {
    host.listenings().remove(this);
    backlog.clear();
  }

  @Override
  public URI address() {
    return address;
  }

  @Override
  public void close() {
    host.listenings().remove(this);
    driver.ended(this);
    StreamEnd end;
    while ((end = backlog.poll()) != null) {
      end.kill();
    }
  }
}
