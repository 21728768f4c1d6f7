package io.verbena.testkit;

import io.verbena.link.LinkListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Remembers what a link told it, and what it should not have told it. */
public final class RecordingListener implements LinkListener {
  private final List<byte[]> frames = new ArrayList<>();
  private final List<String> breaches = new ArrayList<>();
  private Consumer<byte[]> onFrame = frames::add;
  private Runnable onWritable = () -> {};
  private int writables;
  private int bulkMoves;
  private @Nullable String closedReason;

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    breachIfClosed("a frame");
    byte[] frame = new byte[to - from];
    buffer.get(from, frame);
    onFrame.accept(frame);
  }

  @Override
  public void onWritable() {
    breachIfClosed("onWritable");
    writables++;
    onWritable.run();
  }

  @Override
  public void onBulkMoved() {
    bulkMoves++;
  }

  @Override
  public void onClosed(String reason) {
    breachIfClosed("onClosed");
    closedReason = reason;
  }

  private void breachIfClosed(String what) {
    if (closedReason != null) {
      breaches.add(what + " after onClosed(\"" + closedReason + "\")");
    }
  }

  /** Has frames handed to a consumer instead of remembered. */
  public void onFrame(Consumer<byte[]> consumer) {
    onFrame = consumer;
  }

  /** Has something done when there is room again. */
  public void onWritable(Runnable action) {
    onWritable = action;
  }

  /** Returns the frames that came, in order. */
  public List<byte[]> frames() {
    return frames;
  }

  /** Returns how often there was room again. */
  public int writables() {
    return writables;
  }

  /** Returns how often bulk bytes moved, either way. */
  public int bulkMoves() {
    return bulkMoves;
  }

  /** Returns whether the link is gone. */
  public boolean isClosed() {
    return closedReason != null;
  }

  /** Returns why the link is gone; fails the test while it lives. */
  public String closedReason() {
    if (closedReason == null) {
      throw new AssertionError("the link is not closed");
    }
    return closedReason;
  }

  /** Returns what the link told it after its end. */
  public List<String> breaches() {
    return breaches;
  }
}
