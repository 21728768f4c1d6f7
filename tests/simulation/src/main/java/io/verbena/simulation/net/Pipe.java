package io.verbena.simulation.net;

import io.verbena.simulation.time.Agenda;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection. Its buffers hold bytes in order, from the write until the read.
 *
 * <pre>
 *   write → | under way, by the line's rate and latency | arrived | → read
 *           |&lt;------------------ capacity ------------------------&gt;|
 * </pre>
 */
final class Pipe {
  private static final int SEGMENT = 16 << 10;
  private static final byte[] END = new byte[0];

  private final Agenda agenda;
  private final SplittableRandom random;
  private final Line line;
  private final int capacity;
  private final ArrayDeque<Segment> underWay = new ArrayDeque<>();
  private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
  private @Nullable StreamEnd reader;
  private @Nullable StreamEnd writer;
  private int read;
  private int used;
  private long lineFree;
  private long lastDue;
  private boolean resets;
  private boolean shut;

  private static final class Segment {
    private final byte[] bytes;
    private final long due;

    Segment(byte[] bytes, long due) {
      this.bytes = bytes;
      this.due = due;
    }
  }

  Pipe(Agenda agenda, SplittableRandom random, Line line) {
    this.agenda = agenda;
    this.random = random;
    this.line = line;
    this.capacity = line.bufferBytes();
    line.addPipe(this);
  }

  void between(StreamEnd writer, StreamEnd reader) {
    this.writer = writer;
    this.reader = reader;
  }

  int room() {
    return Math.max(0, capacity - used);
  }

  /** Returns the most bytes of one write. */
  int segment() {
    return Math.min(SEGMENT, room());
  }

  /** Writes bytes, for which there is room. */
  void write(byte[] bytes) {
    used += bytes.length;
    send(bytes);
  }

  /** Ends the stream after the written bytes. */
  void end() {
    send(END);
  }

  private void send(byte[] bytes) {
    if (shut) {
      return;
    }
    long start = Math.max(agenda.now(), lineFree);
    lineFree = start + bytes.length * 1_000_000_000L / line.rate();
    long jitter = line.jitterNanos() == 0 ? 0 : random.nextLong(line.jitterNanos());
    lastDue = Math.max(lastDue, lineFree + line.latencyNanos() + jitter);
    underWay.add(new Segment(bytes, lastDue));
    agenda.at(lastDue, this::pump);
  }

  /** Resets the connection. Bytes in flight are lost, and the reader gets a failure. */
  void reset() {
    if (!shut) {
      underWay.clear();
      resets = true;
      agenda.after(line.latencyNanos(), this::pump);
    }
  }

  void resume() {
    agenda.after(line.latencyNanos(), this::pump);
  }

  private void pump() {
    StreamEnd to = reader;
    StreamEnd from = writer;
    if (shut || to == null || from == null) {
      return;
    }
    if (line.isStalledFrom(from.host())) {
      return;
    }
    if (resets) {
      shut();
      to.wasReset();
      return;
    }
    boolean news = false;
    Segment first;
    while ((first = underWay.peek()) != null && first.due <= agenda.now()) {
      underWay.remove();
      arrived.add(first.bytes);
      news = true;
    }
    if (news) {
      to.hasNews();
    }
  }

  /** Shuts the pipe. No byte passes any more, and no end waits for one. */
  void shut() {
    shut = true;
    underWay.clear();
    line.removePipe(this);
  }

  /** Returns the next bytes to read, from {@link #readFrom} on; null if there are none yet. */
  byte @Nullable [] next() {
    return arrived.peek();
  }

  int readFrom() {
    return read;
  }

  boolean isEnd(byte[] bytes) {
    return bytes.length == 0;
  }

  /** Records that bytes were read. */
  void took(int bytes) {
    byte[] first = arrived.element();
    read += bytes;
    if (read == first.length) {
      arrived.remove();
      read = 0;
      used -= first.length;
      StreamEnd from = writer;
      if (from != null) {
        agenda.after(line.latencyNanos(), from::hasNews); // a window update
      }
    }
  }
}
