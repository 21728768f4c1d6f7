package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.frame.Welcome;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.util.List;

/** The bodies of a session's first frames; the input's first byte says of which. */
public final class OpeningTarget implements Target {
  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    WireDecoder in = Bytes.decoder(input, 1);
    try {
      switch ((input[0] & 0xff) % 3) {
        case 0 -> {
          Hello hello = Hello.read(in);
          assertThat(Hello.read(Bytes.decoder(Bytes.encode(hello::write)))).isEqualTo(hello);
        }
        case 1 -> {
          Welcome welcome = Welcome.read(in);
          assertThat(Welcome.read(Bytes.decoder(Bytes.encode(welcome::write)))).isEqualTo(welcome);
        }
        default -> {
          Refusal refusal = Refusal.read(in);
          assertThat(Refusal.read(Bytes.decoder(Bytes.encode(refusal::write)))).isEqualTo(refusal);
        }
      }
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  @Override
  public List<byte[]> seeds() {
    PeerLimits limits = new PeerLimits(1 << 20, 1 << 16, 64, 100);
    List<OfferedService> services =
        List.of(
            new OfferedService("store.v1", 77, 0, List.of(1, 3)),
            new OfferedService("\u00e4", -1, 2, List.of()));
    SessionKey key = new SessionKey(5, 6, 7);
    UpgradeMessage upgrade = new UpgradeMessage(3, new byte[] {7});
    int version = FrameHeader.VERSION;
    Hello hello = new Hello(version, version, 3, key, 9, 2, limits, "token", services, upgrade);
    Welcome welcome = new Welcome(1, 2, key, 8, limits, services);
    Refusal refusal = new Refusal(RpcStatus.UNAVAILABLE, true, false, "no such session");
    return List.of(
        Bytes.with(0, Bytes.encode(hello::write)),
        Bytes.with(1, Bytes.encode(welcome::write)),
        Bytes.with(2, Bytes.encode(refusal::write)));
  }

  /** A service takes 9 bytes, and some 60 when it is read; all is read twice. */
  @Override
  public long mostBytes(int inputLength) {
    return 64_000 + 60L * inputLength;
  }
}
