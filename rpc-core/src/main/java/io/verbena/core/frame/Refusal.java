package io.verbena.core.frame;

import io.verbena.api.RpcStatus;
import io.verbena.api.settings.OneLine;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * The body of {@link FrameKind#REFUSED}.
 *
 * @param status the reason
 * @param sessionUnknown whether the session to resume is no longer here
 * @param resumeWhole whether the client must give up the link that it has kept and resume
 *     everything
 * @param message the reason in words for the client's user
 */
public record Refusal(
    RpcStatus status, boolean sessionUnknown, boolean resumeWhole, String message) {
  public void write(WireOut out) {
    out.writeByte(status.code());
    out.writeBoolean(sessionUnknown);
    out.writeBoolean(resumeWhole);
    out.writeString(message);
  }

  /** Reads the body. The peer's message becomes one line. */
  public static Refusal read(WireIn in) {
    return new Refusal(
        RpcStatus.ofCode(in.readByte()),
        in.readBoolean(),
        in.readBoolean(),
        OneLine.of(in.readString()));
  }
}
