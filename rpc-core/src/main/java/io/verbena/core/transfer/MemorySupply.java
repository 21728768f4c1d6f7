package io.verbena.core.transfer;

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

/** Memory that is sent directly. */
final class MemorySupply extends Supply {
  private final Attached attached;

  /** The checksum, if one is wanted; null until it is known. */
  private @Nullable Integer checksum;

  MemorySupply(BulkTransfer owner, OpenSource.InMemory source, boolean checked) {
    super(owner);
    this.attached = new Attached(source.memory(), source.life());
    this.checksum = checked ? null : 0;
  }

  @Override
  void begin(boolean ahead) {
    if (checksum == null) {
      Crc crc = new Crc();
      readElsewhere(
          RunOn.of(attached.memory),
          () -> {
            OpenSource.requireAlive(attached.memory);
            crc.update(attached.memory);
          },
          () -> {
            checksum = crc.value();
            owner.proceed();
          });
    }
  }

  @Override
  int ready(BulkPath path, long at, int most) {
    return most;
  }

  @Override
  boolean hasReady(long at) {
    return true;
  }

  @Override
  SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    Runnable then = attached.memory.isMapped() ? () -> over(path, piece, whenOver) : whenOver;
    return attached.write(path, target, piece, piece.at(), then);
  }

  /** Completes a write. If a mapped file has become shorter, a link cannot read its memory. */
  private void over(BulkPath path, Piece piece, Runnable whenOver) {
    if (path.isClosed() && !isClosed()) {
      MemorySegment under = attached.memory.asSlice(piece.at(), piece.length());
      readElsewhere(RunOn.MAPPED, () -> OpenSource.requireReadable(under), () -> {});
    }
    whenOver.run();
  }

  @Override
  boolean keepsUnconfirmed() {
    return false;
  }

  @Override
  @Nullable Integer checksum() {
    return checksum;
  }

  @Override
  void free(Runnable then) {
    attached.retire(then);
  }
}
