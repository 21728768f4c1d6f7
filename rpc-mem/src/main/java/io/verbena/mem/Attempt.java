package io.verbena.mem;

import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A connection attempt under way, on the client's loop. */
final class Attempt {
  private final InMemoryDriver driver;
  private final URI address;
  private final LinkOptions options;
  private final ConnectHandler handler;
  private final long deadlineNanos;
  private @Nullable Circuit circuit;
  private boolean over;

  Attempt(
      InMemoryDriver driver,
      URI address,
      LinkOptions options,
      ConnectHandler handler,
      long nowNanos) {
    this.driver = driver;
    this.address = address;
    this.options = options;
    this.handler = handler;
    this.deadlineNanos = nowNanos + options.connectTimeout().toNanos();
  }

  void over(Circuit circuit) {
    this.circuit = circuit;
  }

  long nanosLeft(long nowNanos) {
    return deadlineNanos - nowNanos;
  }

  /** The server has taken it. */
  void connected(Circuit circuit) {
    InMemoryLink link = InMemoryLink.clientEnd(circuit, options.maxFrameBytes());
    if (over) {
      link.open(InMemoryLink.NOBODY);
      link.close();
      return;
    }
    end();
    driver.opened(link);
    link.open(handler::onConnected);
  }

  /** Fails the attempt, unless the server has just taken it. */
  void timedOut() {
    if (!withdraw()) {
      return;
    }
    fail(
        new LinkException(
            address
                + " did not answer within "
                + options.connectTimeout().toMillis()
                + " ms: its event loop does not run, or is held up",
            null));
  }

  /** Fails the attempt, and any link that comes of it later, as the loop ends. */
  void abandon() {
    withdraw();
    fail(new LinkException("the event loop was closed while connecting to " + address, null));
  }

  /** Returns whether the server has not taken it, and cannot any more. */
  private boolean withdraw() {
    if (circuit == null) {
      return true;
    }
    if (!circuit.settle()) {
      return false;
    }
    circuit.forget();
    return true;
  }

  void fail(LinkException failure) {
    if (!over) {
      end();
      handler.onFailed(failure);
    }
  }

  private void end() {
    over = true;
    driver.ended(this);
  }
}
