package io.verbena.core.frame;

import io.verbena.api.RpcStatus;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * The body of {@link FrameKind#REFUSED}.
 *
 * @param status why
 * @param sessionUnknown whether the session that the client wants to resume is not here any more
 * @param message why, in words for the client's user
 */
public record Refusal(RpcStatus status, boolean sessionUnknown, String message) {
  /** Writes the body. */
  public void write(WireOut out) {
    out.writeByte(status.code());
    out.writeBoolean(sessionUnknown);
    out.writeString(message);
  }

  /** Reads the body. */
  public static Refusal read(WireIn in) {
    return new Refusal(RpcStatus.ofCode(in.readByte()), in.readBoolean(), in.readString());
  }
}
