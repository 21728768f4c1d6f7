package io.verbena.bench.counts;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.PinningCost;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletionStage;

/** The bulk of a link, whose pieces are counted as they leave. */
record TalliedBulk(BulkPort real, LinkTally tally) implements BulkPort {
  @Override
  public SendResult write(
      RemoteTarget target,
      long at,
      BulkRegion source,
      long offset,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    return told(real.write(target, at, source, offset, length, checkpoint, whenWritten), length);
  }

  @Override
  public SendResult writeFile(
      RemoteTarget target,
      long at,
      FileChannel source,
      long position,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    return told(
        real.writeFile(target, at, source, position, length, checkpoint, whenWritten), length);
  }

  private SendResult told(SendResult result, int length) {
    if (result == SendResult.SENT) {
      tally.write(length);
    }
    return result;
  }

  @Override
  public int chunkBytes() {
    return real.chunkBytes();
  }

  @Override
  public long windowBytes() {
    return real.windowBytes();
  }

  @Override
  public CompletionStage<PinningCost> pinning() {
    return real.pinning();
  }

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException {
    return real.attach(memory, life);
  }

  @Override
  public BulkTarget open(BulkRegion region, long offset, long length, BulkTarget.Listener listener)
      throws LinkException {
    return real.open(region, offset, length, listener);
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    return real.remote(advertisement);
  }

  @Override
  public boolean writesFrom(FileChannel file) {
    return real.writesFrom(file);
  }
}
