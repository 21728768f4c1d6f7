package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.RdmaRefusal;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.rdma.wire.UpgradeRequest;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What two ends say to open an RDMA link, in frames and in a connection's private data, and the
 * words in Sends and immediates; the input's first byte says which.
 */
public final class RdmaWireTarget implements Target {
  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    try {
      switch ((input[0] & 0xff) % 7) {
        case 0 -> UpgradeRequest.candidates(message);
        case 1 -> {
          RdmaOffer offer = RdmaOffer.decode(message);
          assertThat(offer.candidates()).hasSizeBetween(1, RdmaOffer.MOST_CANDIDATES);
          assertThat(RdmaOffer.decode(offer.encode())).isEqualTo(offer);
        }
        case 2 -> {
          Greeting greeting = Greeting.decode(ByteBuffer.wrap(message));
          assertThat(Greeting.decode(greeting.encode())).isEqualTo(greeting);
        }
        case 3 -> {
          Advertisement read = Advertisement.decode(ByteBuffer.wrap(message));
          assertThat(Advertisement.decode(ByteBuffer.wrap(read.encode()))).isEqualTo(read);
        }
        case 4 -> assertThat(RdmaRefusal.decode(ByteBuffer.wrap(message))).isNotNull();
        case 5 -> header(message);
        default -> immediate(message);
      }
    } catch (LinkException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  private static void header(byte[] message) {
    if (message.length < BulkNote.ARRIVED_BYTES) {
      return; // no receive is looked at that has fewer bytes than its kind
    }
    ByteBuffer in = ByteBuffer.wrap(message);
    int header = SendHeader.read(in, 0);
    ByteBuffer out = ByteBuffer.allocate(BulkNote.ARRIVED_BYTES);
    byte kind = SendHeader.kind(header);
    int kindAndMore = kind | (SendHeader.wantsMore(header) ? SendHeader.WANTS_MORE : 0);
    SendHeader.write(
        out,
        0,
        (byte) kindAndMore,
        SendHeader.controlCredits(header),
        SendHeader.frameCredits(header));
    assertThat(SendHeader.read(out, 0)).isEqualTo(header);
    BulkNote.write(out, 0, BulkNote.target(in, 0), BulkNote.arrived(in, 0));
    assertThat(out.array()).isEqualTo(Arrays.copyOf(message, BulkNote.ARRIVED_BYTES));
    assertThat(BulkNote.length(kind)).isBetween(BulkNote.BYTES, BulkNote.ARRIVED_BYTES);
  }

  private static void immediate(byte[] message) {
    if (message.length < Integer.BYTES) {
      return;
    }
    int immediate = ByteBuffer.wrap(message).getInt();
    int units = Immediate.units(immediate);
    int target = Immediate.target(immediate);
    assertThat(Immediate.slot(target)).isBetween(0, Immediate.MOST_SLOTS - 1);
    assertThat(Immediate.epoch(target)).isBetween(0, Immediate.EPOCHS - 1);
    assertThat(Immediate.target(Immediate.slot(target), Immediate.epoch(target))).isEqualTo(target);
    if (units >= 0) {
      assertThat(Immediate.of(units, target)).isEqualTo(immediate);
    }
  }

  @Override
  public List<byte[]> seeds() {
    Secret token = new Secret(new Random(1).nextLong(), new Random(2).nextLong());
    List<InetSocketAddress> candidates =
        List.of(new InetSocketAddress("10.0.0.1", 4791), new InetSocketAddress("fe80::1", 65535));
    ByteBuffer greeting = new Greeting(token, new Terms(8, 64, 3, 8192, 1)).encode();
    ByteBuffer note = ByteBuffer.allocate(BulkNote.ARRIVED_BYTES);
    SendHeader.write(note, 0, SendHeader.ARRIVED, 1, 2);
    BulkNote.write(note, 0, Immediate.target(3, 4), 5);
    byte[] immediate = new byte[Integer.BYTES];
    ByteBuffer.wrap(immediate).putInt(Immediate.of(2, Immediate.target(3, 4)));
    return List.of(
        Bytes.with(0, UpgradeRequest.encode()),
        Bytes.with(1, new RdmaOffer(token, candidates).encode()),
        Bytes.with(2, bytes(greeting)),
        Bytes.with(3, new Advertisement(77, 5, 1L << 40, 1 << 20, 16).encode()),
        Bytes.with(4, bytes(RdmaRefusal.encode("no room for another link"))),
        Bytes.with(5, note.array()),
        Bytes.with(6, immediate));
  }

  private static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }

  /** Everything here is short, or is cut to what its length can say. */
  @Override
  public long mostBytes(int inputLength) {
    return 64_000 + 10L * inputLength;
  }
}
