package io.verbena.testkit.abuse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** A way to misuse a server that listens on TCP and serves {@link Victim}. */
public enum Abuse {
  /** Sessions that do nothing but give signs of life. */
  IDLE_SESSIONS("idle sessions", 10_000) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return HandMade.start(server, count, i -> Manners.idle());
    }
  },
  /** Connections that say nothing, and are made again when they are ended. */
  SILENT_CONNECTIONS("silent connections", 5_000) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return HandMade.start(server, count, i -> Manners.silent());
    }
  },
  /** Connections that greet with one byte a second. */
  SLOW_OPENING("one byte a second, opening", 1_000) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return HandMade.start(server, count, i -> Manners.greetsSlowly());
    }
  },
  /** Sessions that send a long frame, one byte a second. */
  SLOW_FRAME("one byte a second, in a frame", 1_000) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return HandMade.start(server, count, i -> Manners.speaksSlowly());
    }
  },
  /** Sessions that ask for results of 16 MB each, and read nothing. */
  NEVER_READS("never reads", 64) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return HandMade.start(server, count, i -> Manners.readsNothing());
    }
  },
  /** Sessions that announce what they do not send: frames, messages and objects of 1 GiB. */
  ANNOUNCES("1 GiB announced, not sent", 64) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      List<Supplier<Manner>> ways =
          List.of(
              Manners::announcesFrame,
              Manners::announcesMessage,
              Manners::announcesWhatMayBe,
              Manners::announcesObject);
      return HandMade.start(server, count, i -> ways.get(i % ways.size()).get());
    }
  },
  /** Sessions that cancel every call that they make, as fast as they can. */
  CANCELS("cancellations", 1) {
    @Override
    public Abuser start(InetSocketAddress server, int count) {
      return BadClient.cancels(server, count);
    }
  },
  /** Sessions that call handlers that never return. */
  BLOCKS("handlers that block for ever", 4) {
    @Override
    public Abuser start(InetSocketAddress server, int count) {
      return BadClient.blocks(server, count);
    }
  },
  /** Sessions that send what takes a server seconds to read: keys of a map with one hash. */
  COSTLY_DECODE("1.3 MB that take 13 s to read", 4) {
    @Override
    public Abuser start(InetSocketAddress server, int count) {
      return BadClient.costs(server, count);
    }
  },
  /** Sessions that move long values over a line of 2 Mbit/s. */
  THROTTLED("a line of 2 Mbit/s", 4) {
    @Override
    public Abuser start(InetSocketAddress server, int count) throws IOException {
      return Throttled.start(server, count);
    }
  };

  private final String title;
  private final int usual;

  Abuse(String title, int usual) {
    this.title = title;
    this.usual = usual;
  }

  /** Returns what it is called in a table. */
  public String title() {
    return title;
  }

  /** Returns how many connections or sessions make a test of it. */
  public int usual() {
    return usual;
  }

  /**
   * Begins, and goes on until the abuser is closed. Returns at once.
   *
   * @param count how many connections or sessions misuse the server
   * @throws IOException if this process cannot open what it needs
   */
  public abstract Abuser start(InetSocketAddress server, int count) throws IOException;
}
