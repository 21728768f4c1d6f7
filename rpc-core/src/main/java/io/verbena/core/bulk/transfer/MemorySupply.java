package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory, written from where it is. */
final class MemorySupply implements Supply {
  private final BulkHost host;
  private final boolean checked;
  private final Attached attached;
  private @Nullable Owner owner;
  private @Nullable Integer checksum;
  private int reading;
  private @Nullable Runnable closing;

  MemorySupply(BulkHost host, OpenSource.InMemory source, boolean checked) {
    this.host = host;
    this.checked = checked;
    this.attached = new Attached(source.memory(), source.life());
    this.checksum = checked ? null : 0;
  }

  @Override
  public void begin(Owner owner, boolean ahead) {
    this.owner = owner;
    if (checked) {
      Crc crc = new Crc();
      readElsewhere(
          owner,
          () -> {
            OpenSource.requireAlive(attached.memory());
            crc.update(attached.memory());
          },
          () -> {
            checksum = crc.value();
            owner.suppliesMore();
          });
    }
  }

  private void readElsewhere(Owner hears, RunOn.Work read, Runnable then) {
    reading++;
    RunOn.of(attached.memory())
        .run(
            host,
            read,
            failure -> {
              reading--;
              if (closing != null) {
                retireIfClosing();
              } else if (failure != null) {
                hears.cannotSupply(failure);
              } else {
                then.run();
              }
            });
  }

  @Override
  public int ready(BulkPath path, long at, int most) {
    return most;
  }

  @Override
  public boolean hasReady(long at) {
    return true;
  }

  @Override
  public SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    Runnable then = attached.memory().isMapped() ? () -> over(path, piece, whenOver) : whenOver;
    return attached.write(path, target, piece, piece.at(), then);
  }

  /**
   * A link that cannot read memory, as where a mapped file has become shorter, is lost, and so
   * would be each one after it: what was under way is read here.
   */
  private void over(BulkPath path, Piece piece, Runnable whenOver) {
    Owner hears = owner;
    if (path.isClosed() && closing == null && hears != null) {
      MemorySegment under = attached.memory().asSlice(piece.at(), piece.length());
      readElsewhere(hears, () -> OpenSource.requireReadable(under), () -> {});
    }
    whenOver.run();
  }

  @Override
  public boolean keepsUnconfirmed() {
    return false;
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
    closing = whenFree;
    retireIfClosing();
  }

  private void retireIfClosing() {
    Runnable then = closing;
    if (then != null && reading == 0) {
      attached.retire(then);
    }
  }
}
