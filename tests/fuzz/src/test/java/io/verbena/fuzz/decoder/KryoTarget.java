package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.wire.WireException;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.util.List;

/** A graph by Kryo: read or refused, and what was read can be written again. */
public final class KryoTarget implements Target {
  private final Flora.ByKryo serializer = new Flora.ByKryo();

  @Override
  public void take(byte[] input, Meter meter) {
    byte[] message = Bytes.encode(out -> out.writeBytes(input));
    meter.start();
    Flora read;
    try {
      read = serializer.read(Bytes.decoder(message));
    } catch (WireException refused) {
      assertThat(refused.getMessage()).contains("Flora");
      return;
    }
    meter.stop();
    again(read);
  }

  /** A wrongly nested value may be refused; any other outcome is a finding. */
  private void again(Flora read) {
    byte[] written;
    try {
      written = Bytes.encode(out -> serializer.write(out, read));
    } catch (WireException refused) {
      return;
    }
    serializer.read(Bytes.decoder(written));
  }

  @Override
  public List<byte[]> seeds() {
    byte[] tree = Bytes.encode(out -> serializer.write(out, Flora.sample()));
    byte[] shrub = Bytes.encode(out -> serializer.write(out, new Flora()));
    return List.of(Bytes.decoder(tree).readBytes(), Bytes.decoder(shrub).readBytes());
  }

  /** An instance that threw is dropped, and the next one takes some hundred kB to be made. */
  @Override
  public long mostBytes(int inputLength) {
    return 1_000_000 + 300L * inputLength;
  }
}
