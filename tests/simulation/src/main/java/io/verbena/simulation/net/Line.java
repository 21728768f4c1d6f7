package io.verbena.simulation.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The connection of two hosts, with its latency, its rate and its faults. */
public final class Line {
  private final List<Pipe> pipes = new ArrayList<>();
  private final String name;
  private long latencyNanos;
  private long jitterNanos;
  private long bytesPerSecond;
  private int bufferBytes;
  private final Set<NetHost> silenced = new LinkedHashSet<>();
  private boolean stalled;

  Line(String name) {
    this.name = name;
    normal(Duration.ofNanos(50_000), Duration.ofNanos(20_000), 1_000_000_000L, 256 << 10);
  }

  /** Sets the normal properties. */
  public void normal(Duration latency, Duration jitter, long bytesPerSecond, int bufferBytes) {
    latencyNanos = latency.toNanos();
    jitterNanos = jitter.toNanos();
    this.bytesPerSecond = bytesPerSecond;
    this.bufferBytes = bufferBytes;
  }

  /** Sets the latency from now on. Bytes do not overtake earlier ones. */
  public void latency(Duration latency) {
    latencyNanos = latency.toNanos();
  }

  public long latencyNanos() {
    return latencyNanos;
  }

  /** Sets the rate from now on. */
  public void rate(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Returns the rate in bytes a second. */
  public long rate() {
    return bytesPerSecond;
  }

  /** Stops both directions without loss, or lets bytes pass again. */
  public void stall(boolean stalled) {
    this.stalled = stalled;
    if (!stalled) {
      List.copyOf(pipes).forEach(Pipe::resume);
    }
  }

  /** Stops the direction from one end without loss, or lets bytes pass again. */
  public void stallFrom(NetHost end, boolean stalled) {
    if (stalled) {
      silenced.add(end);
    } else {
      silenced.remove(end);
      List.copyOf(pipes).forEach(Pipe::resume);
    }
  }

  /** Returns whether one or both directions are stopped. */
  public boolean isStalled() {
    return stalled || !silenced.isEmpty();
  }

  boolean isStalledFrom(NetHost end) {
    return stalled || silenced.contains(end);
  }

  long jitterNanos() {
    return jitterNanos;
  }

  int bufferBytes() {
    return bufferBytes;
  }

  void addPipe(Pipe pipe) {
    pipes.add(pipe);
  }

  void removePipe(Pipe pipe) {
    pipes.remove(pipe);
  }

  @Override
  public String toString() {
    return name;
  }
}
