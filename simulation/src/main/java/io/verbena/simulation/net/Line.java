package io.verbena.simulation.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The way between two places: its latency and rate, and what befalls it. */
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

  /** Sets what it is like. */
  public void normal(Duration latency, Duration jitter, long bytesPerSecond, int bufferBytes) {
    latencyNanos = latency.toNanos();
    jitterNanos = jitter.toNanos();
    this.bytesPerSecond = bytesPerSecond;
    this.bufferBytes = bufferBytes;
  }

  /** Sets its latency from now on; nothing overtakes. */
  public void latency(Duration latency) {
    latencyNanos = latency.toNanos();
  }

  /** Returns its latency in nanoseconds. */
  public long latencyNanos() {
    return latencyNanos;
  }

  /** Sets its rate from now on. */
  public void rate(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Returns its rate in bytes a second. */
  public long rate() {
    return bytesPerSecond;
  }

  /** Nothing passes either way any more, nor is anything lost; or all of it passes again. */
  public void stall(boolean stalled) {
    this.stalled = stalled;
    if (!stalled) {
      List.copyOf(pipes).forEach(Pipe::resume);
    }
  }

  /** Nothing of one end's passes any more, though the other's does; or it passes again. */
  public void stallFrom(NetHost end, boolean stalled) {
    if (stalled) {
      silenced.add(end);
    } else {
      silenced.remove(end);
      List.copyOf(pipes).forEach(Pipe::resume);
    }
  }

  /** Returns whether nothing passes, one way or both. */
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

  void carries(Pipe pipe) {
    pipes.add(pipe);
  }

  void carriesNoMore(Pipe pipe) {
    pipes.remove(pipe);
  }

  @Override
  public String toString() {
    return name;
  }
}
