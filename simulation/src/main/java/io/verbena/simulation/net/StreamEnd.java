package io.verbena.simulation.net;

import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, as a kernel has it: it may outlive its process, and be unknown to it.
 */
final class StreamEnd {
  final Pipe in;
  final Pipe out;
  final String localAddress;
  final String peerAddress;
  private final NetHost host;
  private @Nullable StreamDriver driver;
  private boolean reset;
  private boolean dead;

  StreamEnd(NetHost host, Pipe in, Pipe out, String localAddress, String peerAddress) {
    this.host = host;
    this.in = in;
    this.out = out;
    this.localAddress = localAddress;
    this.peerAddress = peerAddress;
  }

  void belongsTo(StreamDriver driver) {
    this.driver = driver;
    host.ends().add(this);
  }

  NetHost host() {
    return host;
  }

  boolean isReset() {
    return reset;
  }

  void hasNews() {
    if (dead) {
      out.reset(); // data for a process that is gone
    } else if (driver != null) {
      driver.signal();
    }
  }

  void wasReset() {
    reset = true;
    out.shut();
    if (!dead && driver != null) {
      driver.signal();
    }
  }

  /** Resets the connection, as a kernel does for a process that ends. */
  void kill() {
    dead = true;
    reset = true;
    in.shut();
    out.reset();
    host.ends().remove(this);
  }

  void released() {
    host.ends().remove(this);
  }
}
