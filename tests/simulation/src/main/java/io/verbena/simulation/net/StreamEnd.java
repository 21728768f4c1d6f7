package io.verbena.simulation.net;

import org.jspecify.annotations.Nullable;

/**
 * One end of a connection in the kernel. It may outlive its process, and the process may not know
 * it.
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

  void setDriver(StreamDriver driver) {
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
      out.reset(); // the data is for a process that is gone
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
