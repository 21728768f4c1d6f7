package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.OpenSource;
import io.verbena.link.MemoryLife;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What supplies the bytes of one session's sources. On the loop. */
public final class Supplies {
  private final BulkHost host;
  private final ReadAhead readAhead;

  /** None yet. */
  public Supplies(BulkHost host) {
    this.host = host;
    this.readAhead = new ReadAhead(host);
  }

  /**
   * Returns what supplies a source's bytes.
   *
   * @param checked whether a checksum of them is wanted
   */
  public Supply of(OpenSource source, boolean checked) {
    if (source instanceof OpenSource.InFile file && !checked) {
      return new FileSupply(readAhead, file);
    }
    if (source instanceof OpenSource.Joined(List<OpenSource> pieces) && !checked) {
      return new JoinedSupply(this, pieces);
    }
    return from(source, 0, isSummed(source, checked) ? new Crc() : null);
  }

  /**
   * Returns what supplies a source's bytes from somewhere on.
   *
   * @param crc of what is before, to be gone on with; null where no checksum is wanted
   */
  public Supply from(OpenSource source, long from, @Nullable Crc crc) {
    if (source instanceof OpenSource.InMemory memory
        && memory.memory().isNative()
        && (memory.life() == MemoryLife.HELD || memory.length() >= host.cutOffs().inPlace())) {
      return new MemorySupply(host, memory, crc != null);
    }
    return new StagedSupply(readAhead, source, crc, from);
  }

  /**
   * Returns whether a checksum of what goes is known. What is made once is summed unasked: the
   * receiver may ask when it is made.
   */
  public static boolean isSummed(OpenSource source, boolean checked) {
    return checked || source instanceof OpenSource.Made;
  }
}
