package io.verbena.core.session;

import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.testkit.RawPeer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A peer that keeps all that it hears. */
class ListeningPeer extends RawPeer {
  final StringBuilder texts = new StringBuilder();
  private @Nullable Welcome welcome;

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    super.onFrame(buffer, from, to);
    if (heard.getLast() == FrameKind.WELCOME) {
      WireDecoder body = new WireDecoder();
      body.start(buffer, from + FrameHeader.BYTES, to, 16);
      welcome = Welcome.read(body);
    }
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    texts.append(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /** Returns the key of the session that it was welcomed to. */
  SessionKey key() {
    return Objects.requireNonNull(welcome).key();
  }
}
