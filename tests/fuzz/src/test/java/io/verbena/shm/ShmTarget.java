package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.fuzz.decoder.Bytes;
import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What opens a shared-memory link, and the ring of one, with anything in it; the input's first byte
 * says which.
 */
public final class ShmTarget implements Target {
  private static final int RING_BYTES = 256 << 10;

  private final RingFile file;

  /** Makes a file of its own. */
  public ShmTarget() {
    try {
      Path path = Files.createTempDirectory("fuzzed").resolve("ring");
      RingFile.Making making = new RingFile.Making(path, RING_BYTES);
      while (!making.fill()) {}
      file = making.map(new Secret(1, 2));
      Files.delete(path);
      Files.delete(path.getParent());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    try {
      switch (input[0] & 3) {
        case 0 -> ShmOffer.requireVersion(message);
        case 1 -> {
          ShmOffer offer = ShmOffer.decode(message);
          assertThat(offer.encode()).isEqualTo(message);
          assertThat(new LinkFiles(Path.of("/base")).directory(offer.directory()))
              .hasParentRaw(Path.of("/base"));
        }
        default -> ring(message);
      }
    } catch (LinkException | BrokenRing refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  private void ring(byte[] content) {
    MemorySegment ring = file.memory.asSlice(file.ring(true), RING_BYTES).fill((byte) 0);
    int bytes = Math.min(content.length, RING_BYTES);
    MemorySegment.copy(content, 0, ring, ValueLayout.JAVA_BYTE, 0, bytes);
    InRing in = new InRing(file, false);
    long begin = file.ring(true);
    while (in.taken() < in.capacity()) {
      long record = in.next();
      if (record == 0 || Records.kind(record) >= Records.CLOSED) {
        return;
      }
      assertThat(in.content()).isGreaterThan(begin);
      assertThat(in.content() + Records.length(record)).isLessThanOrEqualTo(begin + RING_BYTES);
      in.take(record);
    }
  }

  @Override
  public List<byte[]> seeds() {
    byte[] offer = new ShmOffer(77, new Secret(3, 4), 1 << 20).encode();
    MemorySegment ring = file.memory.asSlice(file.ring(true), RING_BYTES).fill((byte) 0);
    OutRing out = new OutRing(file, true);
    out.frame(ByteBuffer.allocate(100), 100);
    out.piece(1, 0, true, MemorySegment.ofArray(new byte[50]), 0, 50);
    out.end(Records.CLOSED);
    return List.of(
        Bytes.with(0, ShmOffer.request()),
        Bytes.with(1, offer),
        Bytes.with(2, ring.asSlice(0, 256).toArray(ValueLayout.JAVA_BYTE)));
  }

  /** A ring of many short records, each of which is checked. */
  @Override
  public long mostBytes(int inputLength) {
    return 64_000 + 1000L * inputLength;
  }
}
