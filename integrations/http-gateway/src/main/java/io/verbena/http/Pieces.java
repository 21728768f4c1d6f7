package io.verbena.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.verbena.api.wire.WireException;
import io.verbena.codec.json.Form;
import io.verbena.codec.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The bytes of an answer, or of an item of a stream, in pieces. A reply is written here as JSON
 * while it is read, without a tree or a text of the whole. Each piece counts as memory from when it
 * is made until the next is sent. One thread at a time.
 */
final class Pieces extends OutputStream {
  /** Answers up to this length do not count, so that they never lack memory. */
  private static final int UNCOUNTED = 8 << 10;

  /**
   * Items of streams up to this length count, and are never refused. Streams are read a few items
   * ahead, whose number the memory of sessions limits.
   */
  private static final int NEVER_REFUSED = 256 << 10;

  /** The bytes that are sent at once. */
  private static final int PART = 64 << 10;

  private final AnswerMemory memory;
  private final boolean ofStream;
  private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
  private long length;
  private long left;
  private long counted;

  private Pieces(AnswerMemory memory, boolean ofStream) {
    this.memory = memory;
    this.ofStream = ofStream;
  }

  /** Returns a result's form: a line of JSON. */
  static Form<Pieces> results(AnswerMemory memory) {
    return form(memory, false, "", "\n");
  }

  /** Returns the form of a stream's items: an event or a line each. */
  static Form<Pieces> items(AnswerMemory memory, boolean asEvents) {
    return form(memory, true, asEvents ? "data: " : "", asEvents ? "\n\n" : "\n");
  }

  private static Form<Pieces> form(
      AnswerMemory memory, boolean ofStream, String before, String after) {
    return (reader, in, shape) ->
        of(memory, ofStream, before, json -> reader.write(in, shape, json), after);
  }

  /**
   * Returns a tree as JSON.
   *
   * @throws WireException if there is no memory for it
   */
  static Pieces of(AnswerMemory memory, String before, JsonNode value, String after) {
    return of(memory, false, before, json -> json.writeTree(value), after);
  }

  /** Writes JSON. */
  @FunctionalInterface
  private interface Writer {
    void write(JsonGenerator json) throws IOException;
  }

  private static Pieces of(
      AnswerMemory memory, boolean ofStream, String before, Writer writer, String after) {
    Pieces made = new Pieces(memory, ofStream);
    try {
      made.writeAscii(before);
      try (JsonGenerator json = Json.writer(made)) {
        writer.write(json);
      }
      made.writeAscii(after);
    } catch (IOException e) {
      throw new WireException("there is no memory for its JSON", e);
    }
    return made;
  }

  private void writeAscii(String text) throws IOException {
    if (!text.isEmpty()) {
      write(text.getBytes(StandardCharsets.US_ASCII));
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one});
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    long now = Math.max(0, length + count - UNCOUNTED);
    if (now > counted) {
      if (!memory.take(now - counted, ofStream && length + count <= NEVER_REFUSED)) {
        throw new IOException("no memory");
      }
      counted = now;
    }
    pieces.add(Arrays.copyOfRange(bytes, from, from + count));
    length += count;
    left += count;
  }

  /** Returns the number of all bytes. */
  long length() {
    return length;
  }

  /** Returns the memory that the bytes which have not been sent count for. */
  long counted() {
    return counted;
  }

  /** Returns whether all has been taken. */
  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** Takes the next bytes to send. What was taken before has been sent, and counts no longer. */
  ByteBuf next(ByteBufAllocator from) {
    if (counted > left) {
      memory.give(counted - left);
      counted = left;
    }
    ByteBuf part = from.buffer((int) Math.min(PART, left));
    while (!pieces.isEmpty()
        && (!part.isReadable() || part.writableBytes() >= pieces.getFirst().length)) {
      byte[] piece = pieces.removeFirst();
      part.writeBytes(piece);
      left -= piece.length;
    }
    return part;
  }

  /** All has been sent. */
  void sent() {
    memory.give(counted);
    counted = 0;
  }
}
