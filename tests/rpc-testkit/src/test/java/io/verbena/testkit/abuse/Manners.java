package io.verbena.testkit.abuse;

import java.util.Arrays;

/** Ways to behave on a connection. */
final class Manners {
  private static final byte[] NOTHING = new byte[0];

  /** Less than after what a server gives a silent link up (6 s). */
  private static final int PING_SECONDS = 3;

  /** As a frame is that carries a piece of a long message. */
  private static final int LONG_FRAME = 60_000;

  private static final int GIBIBYTE = 1 << 30;

  /** The default limits of a server. */
  private static final int LONGEST_MESSAGE = 64 << 20;

  private static final int RESULT_BYTES = 250_000;

  /** As many as a client has under way before it knows how many it may. */
  private static final int CALLS = 64;

  private Manners() {}

  /** Connects and says nothing. */
  static Manner silent() {
    return second -> NOTHING;
  }

  /** Opens a session and gives signs of life. */
  static Manner idle() {
    return Manners::idleAt;
  }

  private static byte[] idleAt(int second) {
    if (second == 0) {
      return Words.hello();
    }
    return second % PING_SECONDS == 0 ? Words.ping() : NOTHING;
  }

  /** Greets with one byte a second. */
  static Manner greetsSlowly() {
    byte[] hello = Words.hello();
    return second -> second < hello.length ? new byte[] {hello[second]} : NOTHING;
  }

  /** Opens a session and sends a long frame, one byte a second. */
  static Manner speaksSlowly() {
    byte[] prefix = Words.announced(LONG_FRAME);
    return second -> {
      if (second == 0) {
        return Words.hello();
      }
      return new byte[] {second <= prefix.length ? prefix[second - 1] : 1};
    };
  }

  /** Opens a session, asks for much, gives signs of life, and reads nothing. */
  static Manner readsNothing() {
    return new Manner() {
      @Override
      public byte[] says(int second) {
        return second == 1 ? askForMuch() : idleAt(second);
      }

      @Override
      public boolean reads() {
        return false;
      }

      @Override
      public int inEffectFrom() {
        return 2;
      }
    };
  }

  private static byte[] askForMuch() {
    byte[] all = NOTHING;
    for (int call = 1; call <= CALLS; call++) {
      all = joined(all, Words.large(call, RESULT_BYTES));
    }
    return all;
  }

  /** Announces a frame of 1 GiB. */
  static Manner announcesFrame() {
    return announces(Words.announced(GIBIBYTE));
  }

  /** Announces a message of 1 GiB, of which each frame would have a sound length. */
  static Manner announcesMessage() {
    return announces(Words.firstFragment(1, GIBIBYTE));
  }

  /** Announces a message as long as may be, and brings nothing of it. */
  static Manner announcesWhatMayBe() {
    return announces(Words.firstFragment(1, LONGEST_MESSAGE));
  }

  /** Offers an object of 1 GiB and never sends it. */
  static Manner announcesObject() {
    return announces(Words.offer(1, GIBIBYTE));
  }

  private static Manner announces(byte[] words) {
    return new Manner() {
      @Override
      public byte[] says(int second) {
        return second == 1 ? words : idleAt(second);
      }

      @Override
      public int inEffectFrom() {
        return 2;
      }
    };
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
