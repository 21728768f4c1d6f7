package io.verbena.simulation.net;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.simulation.time.Agenda;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A connection that is being made. */
final class StreamAttempt {
  private final StreamDriver driver;
  private final URI address;
  private final LinkOptions options;
  private final LinkDriver.ConnectHandler handler;
  private final Agenda.Entry limit;
  private @Nullable StreamEnd end;
  private @Nullable String failure;
  private boolean over;

  StreamAttempt(
      StreamDriver driver,
      Agenda agenda,
      URI address,
      LinkOptions options,
      LinkDriver.ConnectHandler handler) {
    this.driver = driver;
    this.address = address;
    this.options = options;
    this.handler = handler;
    long millis = options.connectTimeout().toMillis();
    String late = address + " did not answer within " + millis + " ms";
    limit = agenda.after(options.connectTimeout().toNanos(), () -> failed(late));
  }

  boolean isOver() {
    return over;
  }

  /** The network's: the peer's kernel has taken it. */
  void connected(StreamEnd made) {
    if (over || driver.isGone()) {
      made.belongsTo(driver);
      made.kill();
      return;
    }
    made.belongsTo(driver);
    end = made;
    settled();
  }

  /** The network's: it cannot be had. */
  void failed(String why) {
    if (!over) {
      failure = why;
      settled();
    }
  }

  private void settled() {
    over = true;
    limit.callOff();
    driver.signal();
  }

  /** The loop's: tells what is known; returns whether anything is. */
  boolean tell() {
    if (!over) {
      return false;
    }
    StreamEnd made = end;
    if (made != null) {
      StreamLink link = new StreamLink(driver, made, options.maxFrameBytes());
      link.open(handler::onConnected);
    } else {
      handler.onFailed(new LinkException(String.valueOf(failure), null));
    }
    return true;
  }

  /** The loop ends. */
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
