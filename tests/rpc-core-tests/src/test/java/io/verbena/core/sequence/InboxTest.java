package io.verbena.core.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Quota;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A frame that has come has come, whatever this end runs out of behind that. */
class InboxTest {
  private static final int PIECE = 60 * 1024;
  private static final int PIECES = 4;
  private static final int NEVER = 0;

  private final Quota quota = new Quota(64 << 20, 1);
  private final List<String> heard = new ArrayList<>();
  private int allocations;
  private int failsAt;
  private long sent;

  private final Inbox inbox =
      new Inbox(
          1 << 20,
          quota.join(
              new Quota.Holder() {
                @Override
                public String peer() {
                  return "an honest peer";
                }

                @Override
                public void wanted() {}
              }),
          bytes -> {
            if (++allocations == failsAt) {
              throw new OutOfMemoryError("Java heap space");
            }
            return new byte[bytes];
          });

  private void comes(FrameKind kind, int flags, int announced, int bytes) {
    int header = FrameHeader.BYTES;
    boolean first = (flags & FrameHeader.FLAG_FIRST_FRAGMENT) != 0;
    ByteBuffer frame = ByteBuffer.allocate(header + (first ? Integer.BYTES : 0) + bytes);
    FrameHeader.write(frame, FrameHeader.first(kind, flags), 0, ++sent, 0, 0, 7);
    if (first) {
      frame.putInt(header, announced);
    }
    long word = FrameHeader.first(frame, 0);
    Message message = inbox.accept(kind, word, 0, frame, 0, frame.capacity());
    if (message != null) {
      String dropped = message.dropped() == null ? "" : " dropped: " + message.dropped();
      heard.add(message.kind() + " of " + message.length() + dropped);
      message.release();
    }
    assertThat(inbox.received()).isEqualTo(sent);
  }

  private void aMessageComesInPieces() {
    comes(FrameKind.REQUEST, FrameHeader.FLAG_FIRST_FRAGMENT, PIECES * PIECE, PIECE);
    for (int i = 1; i < PIECES; i++) {
      comes(FrameKind.FRAGMENT, 0, 0, PIECE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aMessageThatFindsNoHeapIsDroppedAloneAndItsMemoryGivenBack(int failing) {
    failsAt = failing;
    aMessageComesInPieces();
    assertThat(heard).singleElement().asString().contains("REQUEST of 245760 dropped: the heap");
    assertThat(quota.taken()).isZero();
    failsAt = NEVER;
    heard.clear();
    comes(FrameKind.REQUEST, 0, 0, 10);
    aMessageComesInPieces();
    assertThat(heard).containsExactly("REQUEST of 10", "REQUEST of 245760");
    assertThat(quota.taken()).isZero();
  }
}
