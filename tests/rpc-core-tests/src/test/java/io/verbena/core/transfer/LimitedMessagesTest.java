package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A value that is too long for a message travels beside it, whatever that costs. */
@Timeout(60)
class LimitedMessagesTest {
  private static final SessionLimits SHORT = SessionLimits.DEFAULT.withMaxMessageBytes(4096);

  private static final class Counter implements Values {
    @Override
    public MemorySegment echo(MemorySegment value) {
      return value;
    }

    @Override
    public Mixed mixed(Mixed value) {
      return value;
    }

    @Override
    public void keep(byte[] value) {}

    @Override
    public ByteBuffer onTheLoop(ByteBuffer value) {
      return value;
    }

    @Override
    public int count(byte[] value) {
      return value.length;
    }

    @Override
    public byte[] make(int length) {
      return new byte[length];
    }
  }

  private static void call(SessionLimits server, SessionLimits client, int length) {
    try (VerbenaServer started =
            VerbenaServer.builder()
                .listen("mem://limited-messages:0")
                .limits(server)
                .serve(ValuesRpc.bind(new Counter()))
                .start();
        VerbenaClient caller = VerbenaClient.builder().limits(client).build()) {
      Values values = ValuesRpc.client(caller.connect(started.address().toString()));
      assertThat(values.count(new byte[length])).isEqualTo(length);
      assertThat(values.make(length)).hasSize(length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2_000, 4_000, 4_095, 4_096, 5_000, 100_000, 1_000_000, 10_000_000})
  void whicheverEndTakesShortOnesOnly(int length) {
    call(SHORT, SessionLimits.DEFAULT, length);
    call(SessionLimits.DEFAULT, SHORT, length);
  }
}
