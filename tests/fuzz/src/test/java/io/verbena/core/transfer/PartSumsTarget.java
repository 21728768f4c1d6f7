package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.bulk.Crc;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The sums beside a file that is not whole: whatever they say, no block counts that is not as its
 * sum says, and what counts is what there is.
 */
public final class PartSumsTarget implements Target {
  private static final int BLOCKS = 2;
  private static final long LENGTH = (BLOCKS + 1L) * PartSums.BLOCK;

  private final Path directory;
  private final Path part;
  private final int[] sums = new int[BLOCKS];

  /** A file of two blocks and a half. */
  public PartSumsTarget() {
    try {
      directory = Files.createTempDirectory("verbena-fuzz");
      part = directory.resolve("part");
      byte[] block = new byte[PartSums.BLOCK];
      for (int i = 0; i < BLOCKS; i++) {
        block[0] = (byte) i;
        append(block);
        CRC32C sum = new CRC32C();
        sum.update(block);
        sums[i] = (int) sum.getValue();
      }
      append(new byte[PartSums.BLOCK / 2]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    directory.toFile().deleteOnExit();
    part.toFile().deleteOnExit();
  }

  private void append(byte[] bytes) throws IOException {
    Files.write(part, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Override
  public void take(byte[] input, Meter meter) throws IOException {
    Path beside = directory.resolve("sums");
    Files.write(beside, input);
    PartSums known = new PartSums(beside, LENGTH);
    Crc whole = new Crc();
    try (FileChannel open = FileChannel.open(part, StandardOpenOption.READ)) {
      long good = known.readAgain(open, whole);
      assertThat(good).isEqualTo((long) expected(input) * PartSums.BLOCK);
      assertThat(known.isAnyKnown()).isEqualTo(good > 0);
    } finally {
      known.close();
      Files.delete(beside);
    }
  }

  /** Returns how many blocks' sums stand there, behind a header that is right. */
  private int expected(byte[] input) {
    byte[] right = seeds().getFirst();
    for (int i = 0; i < 16; i++) {
      if (i >= input.length || input[i] != right[i]) {
        return 0;
      }
    }
    ByteBuffer in = ByteBuffer.wrap(input, 16, input.length - 16);
    int good = 0;
    while (good < BLOCKS && in.remaining() >= Integer.BYTES && in.getInt() == sums[good]) {
      good++;
    }
    return good;
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int blocks = BLOCKS; blocks >= 0; blocks--) {
      ByteBuffer file = ByteBuffer.allocate(16 + Integer.BYTES * blocks);
      file.putLong(0x5645_5242_454e_4131L).putLong(LENGTH); // "VERBENA1"
      for (int i = 0; i < blocks; i++) {
        file.putInt(sums[i]);
      }
      seeds.add(file.array());
    }
    return seeds;
  }

  /** However long the file with the sums is: no more of it is read than there are blocks. */
  @Override
  public long mostBytes(int inputLength) {
    return 64_000 + 2L * inputLength;
  }
}
