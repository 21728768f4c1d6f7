package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A message about a better link. It is the body of {@link FrameKind#UPGRADE_REQUEST}, {@link
 * FrameKind#UPGRADE_OFFER} and {@link FrameKind#UPGRADE_DECLINED}, and the end of a {@link Hello}
 * with a request.
 */
public final class UpgradeMessage {
  private final int epoch;
  private final byte[] content;

  /**
   * Makes a message about one link.
   *
   * @param epoch the link's epoch in its session
   * @param content data of the kind of link, which the core does not read, or the reason why there
   *     is no link; not copied
   */
  public UpgradeMessage(int epoch, byte[] content) {
    this.epoch = epoch;
    this.content = content;
  }

  public int epoch() {
    return epoch;
  }

  /** Returns the data of the kind of link, or the reason why there is no link; not a copy. */
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

  public void write(WireOut out) {
    out.writeInt(epoch);
    out.writeBytes(content);
  }

  public static UpgradeMessage read(WireIn in) {
    return new UpgradeMessage(in.readInt(), in.readBytes());
  }
}
