package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.Status;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.fuzz.decoder.Bytes;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What carries gRPC's calls: a piece where the input begins with 0, an answer with 1, what an end
 * takes with 2, else a block of metadata. What is kept of a block is within its limit.
 */
public final class GrpcTarget implements Target {
  private static final int MOST_METADATA = 1_000;

  private static final Metadata.Key<String> WORD =
      Metadata.Key.of("word", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    WireDecoder in = Bytes.decoder(input);
    try {
      switch (in.readByte()) {
        case 0 -> check(GrpcContract.Piece.read(in, MOST_METADATA).headers());
        case 1 -> {
          GrpcContract.Answer answer = GrpcContract.Answer.read(in, MOST_METADATA);
          check(answer.headers());
          Block last = answer.trailers();
          if (last != null) {
            check(last);
            Metadata trailers = last.metadata();
            if (trailers != null) {
              assertThat(Statuses.takeFrom(trailers).getCode()).isNotNull();
            }
          }
        }
        case 2 -> assertThat(GrpcContract.Opened.read(in)).isNotNull();
        default -> check(Block.read(in, MOST_METADATA));
      }
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  private static void check(@Nullable Block block) {
    if (block == null) {
      return;
    }
    Metadata metadata = block.metadata();
    if (metadata == null) {
      assertThat(block.bytes()).isGreaterThan(MOST_METADATA);
      assertThat(block.tooLarge("Any", MOST_METADATA).getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    } else {
      assertThat(sizeOf(metadata)).isEqualTo(block.bytes()).isBetween(0L, 1L * MOST_METADATA);
    }
  }

  /** Returns the size of metadata as HTTP/2 counts it. */
  private static long sizeOf(Metadata metadata) {
    byte[][] parts = InternalMetadata.serialize(metadata);
    return 32L * (parts.length / 2) + Stream.of(parts).mapToInt(part -> part.length).sum();
  }

  private static byte[] of(int kind, Consumer<WireOut> writer) {
    return Bytes.encode(
        out -> {
          out.writeByte(kind);
          writer.accept(out);
        });
  }

  private static Metadata metadata(int entries) {
    Metadata metadata = new Metadata();
    for (int i = 0; i < entries; i++) {
      metadata.put(WORD, "number " + i);
    }
    return metadata;
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        of(
            0,
            out -> {
              out.writeVarInt(7);
              out.writeByte(GrpcContract.LAST | GrpcContract.HEADERS);
              Block.write(out, metadata(2));
              out.writeBytes(new byte[20]);
            }),
        of(
            1,
            out ->
                GrpcContract.Answer.write(
                    out,
                    metadata(1),
                    new byte[5],
                    Statuses.trailers(Status.NOT_FOUND.withDescription("none")),
                    3)),
        of(2, out -> new GrpcContract.Opened(1, 1 << 20, 8_192, 100).write(out)),
        of(3, out -> Block.write(out, metadata(3))),
        of(3, out -> Block.write(out, metadata(40))));
  }

  /** Names and values are copied once, and one by one. */
  @Override
  public long mostBytes(int inputLength) {
    return 100_000 + 64L * inputLength;
  }
}
