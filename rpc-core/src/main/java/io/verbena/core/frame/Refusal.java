package io.verbena.core.frame;

import io.verbena.api.RpcStatus;
import io.verbena.api.settings.OneLine;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * The body of {@link FrameKind#REFUSED}.
 *
 * @param status why
 * @param sessionUnknown whether the session that the client wants to resume is not here any more
 * @param resumeWhole whether the client is to give up the link it has kept and to resume everything
 * @param message why, in words for the client's user
 */
public record Refusal(
    RpcStatus status, boolean sessionUnknown, boolean resumeWhole, String message) {
  /** Writes the body. */
  public void write(WireOut out) {
    out.writeByte(status.code());
    out.writeBoolean(sessionUnknown);
    out.writeBoolean(resumeWhole);
    out.writeString(message);
  }

  /** Reads the body; the peer's words come in one line. */
  public static Refusal read(WireIn in) {
    return new Refusal(
        RpcStatus.ofCode(in.readByte()),
        in.readBoolean(),
        in.readBoolean(),
        OneLine.of(in.readString()));
  }
}
