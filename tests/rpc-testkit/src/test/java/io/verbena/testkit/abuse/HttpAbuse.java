package io.verbena.testkit.abuse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A way to misuse a server whose gateway to HTTP serves {@link Victim}. */
public enum HttpAbuse {
  /** Asks for bytes of 4 MB, and reads nothing. */
  NEVER_READS_BYTES(40, false, call("large", "[4000000]")),
  /** Asks for a text of 4 MB, and reads nothing. */
  NEVER_READS_TEXT(40, false, call("text", "[4000000]")),
  /** Asks for a list of which a tree would take a multiple, and reads nothing. */
  NEVER_READS_RECORDS(40, false, call("entries", "[200000]")),
  /** Asks for answers of 4 MB one after the other on each connection, and reads nothing. */
  NEVER_READS_MANY(40, false, call("large", "[4000000]").repeat(20)),
  /** Asks for a stream without an end, and reads nothing. */
  NEVER_READS_STREAM(40, false, call("stream", "[100000]")),
  /** Connects and says nothing. */
  SILENT(200, true, ""),
  /** Sends the head of a request, one byte a second. */
  SLOW_HEAD(200, true, call("next", "[1]")) {
    @Override
    byte[] says(int second) {
      return byteAt(second);
    }
  },
  /** Announces a body as long as may be, and does not send it. */
  ANNOUNCES(200, true, head("store", 1_000_000) + "[\""),
  /** Sends almost all of a long body, and not its end. */
  UNFINISHED(40, true, head("store", 1_000_000) + "[\"" + "A".repeat(999_000)),
  /** Sends requests one after the other while the first runs. */
  FAR_AHEAD(40, true, call("stay", "[]") + call("next", "[1]").repeat(2_000)),
  /** Calls what never returns. */
  BLOCKS(100, true, call("block", "[]")),
  /** Sends JSON of 900 kB that nests deeper than any value. */
  COSTLY_JSON(40, true, call("store", "[" + "[1,".repeat(300_000) + "]")),
  /** Sends what is not HTTP after its first letter. */
  NOT_HTTP(100, true, "G\0\1\2\3\r\n\r\n".repeat(1_000));

  private final int usual;
  private final boolean reads;
  private final String words;

  HttpAbuse(int usual, boolean reads, String words) {
    this.usual = usual;
    this.reads = reads;
    this.words = words;
  }

  private static String head(String method, int length) {
    return "POST /victim.v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        .formatted(method, length);
  }

  private static String call(String method, String body) {
    return head(method, body.length()) + body;
  }

  byte[] byteAt(int second) {
    return new byte[] {(byte) words.charAt(second % words.length())};
  }

  /** Returns what a connection says in its second of this number. */
  byte[] says(int second) {
    return second == 0 ? words.getBytes(StandardCharsets.ISO_8859_1) : new byte[0];
  }

  /** Returns how many connections make a test of it. */
  public int usual() {
    return usual;
  }

  /**
   * Begins, and goes on until the abuser is closed. Returns at once.
   *
   * @throws IOException if this process cannot open what it needs
   */
  public Abuser start(InetSocketAddress server, int count) throws IOException {
    return HandMade.start(server, count, i -> new Client());
  }

  private final class Client implements Manner {
    @Override
    public byte[] says(int second) {
      return HttpAbuse.this.says(second);
    }

    @Override
    public boolean reads() {
      return reads;
    }

    @Override
    public int inEffectFrom() {
      return 1;
    }
  }
}
