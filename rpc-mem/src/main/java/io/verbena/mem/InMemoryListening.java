package io.verbena.mem;

import io.verbena.link.LinkDriver.AcceptHandler;
import io.verbena.link.LinkDriver.Listening;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import java.net.URI;

/** A name that one event loop answers to. */
final class InMemoryListening implements Listening {
  private final InMemoryNetwork network;
  private final String name;
  private final LinkOptions options;
  private final AcceptHandler handler;
  final InMemoryDriver driver;
  private boolean closed;

  InMemoryListening(
      InMemoryNetwork network,
      InMemoryDriver driver,
      String name,
      LinkOptions options,
      AcceptHandler handler) {
    this.network = network;
    this.driver = driver;
    this.name = name;
    this.options = options;
    this.handler = handler;
  }

  @Override
  public URI address() {
    return URI.create(name);
  }

  void accept(Circuit circuit, Attempt attempt) {
    if (!circuit.settle()) {
      return;
    }
    if (closed) {
      circuit.forget();
      LinkException failure = new LinkException(name + " has stopped listening", null);
      circuit.client.post(() -> attempt.fail(failure));
      return;
    }
    InMemoryLink link = InMemoryLink.serverEnd(circuit, options.maxFrameBytes());
    driver.opened(link);
    link.open(handler::onAccepted);
    circuit.client.post(() -> attempt.connected(circuit));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      network.ended(name, this);
      driver.ended(this);
    }
  }
}
