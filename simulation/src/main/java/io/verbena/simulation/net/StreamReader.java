package io.verbena.simulation.net;

import java.nio.ByteBuffer;

/** Takes a stream apart into frames and chunks. */
final class StreamReader {
  private static final int CHUNK_HEADER = Integer.BYTES + 2 * Long.BYTES + 1;

  private final StreamLink link;
  private final StreamBulk bulk;
  private final int maxFrameBytes;
  private ByteBuffer gathered = ByteBuffer.allocate(256);
  private int wanted = Integer.BYTES;
  private State state = State.LENGTH;

  private enum State {
    LENGTH,
    FRAME,
    CHUNK_HEADER,
    CHUNK
  }

  StreamReader(StreamLink link, StreamBulk bulk, int maxFrameBytes) {
    this.link = link;
    this.bulk = bulk;
    this.maxFrameBytes = maxFrameBytes;
  }

  String inTheMiddle() {
    return state == State.LENGTH && gathered.position() == 0 ? "" : " in the middle of a frame";
  }

  /** Reads some of these bytes, from a place on; returns how many. */
  int read(byte[] bytes, int from) {
    int there = bytes.length - from;
    if (state == State.CHUNK) {
      int took = bulk.land(bytes, from, there);
      if (bulk.isWhole()) {
        next(State.LENGTH, Integer.BYTES);
        bulk.endChunk();
      }
      return took;
    }
    int took = Math.min(there, wanted - gathered.position());
    gathered.put(bytes, from, took);
    if (gathered.position() == wanted) {
      complete();
    }
    return took;
  }

  private void complete() {
    switch (state) {
      case LENGTH -> {
        int length = gathered.getInt(0);
        if (length == -1) {
          next(State.CHUNK_HEADER, CHUNK_HEADER);
        } else if (length < 1 || length > maxFrameBytes) {
          link.abort("the peer announced a frame of " + length + " bytes");
        } else {
          next(State.FRAME, length);
        }
      }
      case FRAME -> {
        int length = wanted;
        ByteBuffer frame = gathered;
        gathered = ByteBuffer.allocate(Math.max(256, Math.min(length, 4096)));
        next(State.LENGTH, Integer.BYTES);
        link.listener().onFrame(frame, 0, length);
      }
      case CHUNK_HEADER -> {
        gathered.flip();
        String wrong =
            bulk.begin(
                gathered.getInt(), gathered.getLong(), gathered.getLong(), gathered.get() != 0);
        if (wrong != null) {
          link.abort(wrong);
        } else {
          next(State.CHUNK, 0);
        }
      }
      case CHUNK -> throw new AssertionError("chunks are not gathered");
    }
  }

  private void next(State state, int wanted) {
    this.state = state;
    this.wanted = wanted;
    gathered.clear();
    if (gathered.capacity() < wanted) {
      gathered = ByteBuffer.allocate(wanted);
    }
  }
}
