package io.verbena.core.bulk;

import io.verbena.core.link.LinkException;
import io.verbena.core.link.RemoteTarget;
import io.verbena.core.link.SendResult;
import org.jspecify.annotations.Nullable;

/** Memory, written from where it is. */
final class MemorySupply implements Supply {
  private final BulkHost host;
  private final boolean checked;
  private final Attached attached;
  private @Nullable Integer checksum;
  private boolean summing;
  private @Nullable Runnable closing;

  MemorySupply(BulkHost host, OpenSource.InMemory source, boolean checked) {
    this.host = host;
    this.checked = checked;
    this.attached = new Attached(source.memory(), source.life());
    this.checksum = checked ? null : 0;
  }

  @Override
  public void begin(Owner owner, boolean ahead) {
    if (!checked) {
      return;
    }
    summing = true;
    Crc crc = new Crc();
    OffLoop.run(
        host,
        () -> {
          OpenSource.requireAlive(attached.memory());
          crc.update(attached.memory());
        },
        failure -> {
          summing = false;
          Runnable then = closing;
          if (then != null) {
            attached.retire(then);
          } else if (failure != null) {
            owner.cannotSupply(failure);
          } else {
            checksum = crc.value();
            owner.suppliesMore();
          }
        });
  }

  @Override
  public int ready(BulkPath path, long at, int most) {
    return most;
  }

  @Override
  public SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    return attached.write(path, target, piece, piece.at(), whenOver);
  }

  @Override
  public boolean waitsForConfirmation(long at) {
    return false;
  }

  @Override
  public void confirmed(long upTo) {}

  @Override
  public @Nullable Integer checksum() {
    return checksum;
  }

  @Override
  public void close(Runnable whenFree) {
    if (summing) {
      closing = whenFree;
    } else {
      attached.retire(whenFree);
    }
  }
}
