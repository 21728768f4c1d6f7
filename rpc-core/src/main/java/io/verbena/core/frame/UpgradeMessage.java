package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What two ends tell each other about a better link: the body of {@link FrameKind#UPGRADE_REQUEST},
 * {@link FrameKind#UPGRADE_OFFER} and {@link FrameKind#UPGRADE_DECLINED}, and the end of a {@link
 * Hello} that asks at once.
 */
public final class UpgradeMessage {
  private final int epoch;
  private final byte[] content;

  /**
   * A message about one link.
   *
   * @param epoch the link's number in its session
   * @param content what the kind of link says, which the core does not look into; or why there is
   *     none. Not copied
   */
  public UpgradeMessage(int epoch, byte[] content) {
    this.epoch = epoch;
    this.content = content;
  }

  /** Returns the link's number in its session. */
  public int epoch() {
    return epoch;
  }

  /** Returns what the kind of link says, or why there is none; not a copy. */
  public byte[] content() {
    return content;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UpgradeMessage message
        && message.epoch == epoch
        && Arrays.equals(message.content, content);
  }

  @Override
  public int hashCode() {
    return 31 * epoch + Arrays.hashCode(content);
  }

  @Override
  public String toString() {
    return "link " + epoch + ", " + content.length + " bytes";
  }

  /** Writes it. */
  public void write(WireOut out) {
    out.writeInt(epoch);
    out.writeBytes(content);
  }

  /** Reads it. */
  public static UpgradeMessage read(WireIn in) {
    return new UpgradeMessage(in.readInt(), in.readBytes());
  }
}
