package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.json.Json;
import io.verbena.codec.json.Shapes;
import io.verbena.codec.json.WireToJson;
import io.verbena.testkit.Seed;
import io.verbena.testkit.contract.EverythingRpc;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any bytes of a server, for any type, become JSON or are refused. */
class RandomRepliesTest {
  private static final int ROUNDS = 3_000;
  private static final int MOST_BYTES = 200;

  private final long seed = Seed.number("RandomRepliesTest");
  private final Random random = new Random(seed);

  @Test
  void areJsonOrRefused() {
    Schema schema = EverythingRpc.SERVICE.schema();
    Shapes shapes = new Shapes(schema);
    WireToJson reader = new WireToJson(shapes);
    WireDecoder in = new WireDecoder();
    int read = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] bytes = bytes();
      for (Schema.Method method : schema.methods()) {
        in.start(ByteBuffer.wrap(bytes), 0, bytes.length, 16);
        try {
          read += Json.line(reader.read(in, shapes.of(method.result()))).isEmpty() ? 0 : 1;
        } catch (WireException refused) {
          assertThat(refused.getMessage()).as("-Dverbena.seed=" + seed).isNotEmpty();
        } catch (RuntimeException e) {
          throw new AssertionError("-Dverbena.seed=" + seed + ", " + method, e);
        }
      }
    }
    assertThat(read).as("some are values: -Dverbena.seed=" + seed).isPositive();
  }

  /** Small numbers are lengths and ids more often than others. */
  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(MOST_BYTES)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(6));
    }
    return bytes;
  }
}
