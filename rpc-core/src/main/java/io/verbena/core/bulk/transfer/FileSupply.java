package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A file: written by the kernel where the link can, else read into pooled memory. */
final class FileSupply implements Supply {
  private final OpenSource.InFile file;
  private final StagedSupply staged;
  private final BulkHost host;
  private @Nullable Owner owner;
  private boolean endSeen;
  private int underWay;
  private @Nullable Runnable closing;

  FileSupply(ReadAhead readAhead, OpenSource.InFile file) {
    this.host = readAhead.host;
    this.file = file;
    this.staged = new StagedSupply(readAhead, file, null, 0);
  }

  @Override
  public void begin(Owner owner, boolean ahead) {
    this.owner = owner;
    staged.begin(owner, false); // a path may take the bytes from the file
  }

  @Override
  public int ready(BulkPath path, long at, int most) {
    if (path.port().writesFrom(file.file().channel())) {
      return most;
    }
    return staged.ready(path, at, most);
  }

  @Override
  public boolean hasReady(long at) {
    return staged.hasReady(at);
  }

  @Override
  public SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, TransferProblem {
    if (!path.port().writesFrom(file.file().channel())) {
      return staged.write(path, target, piece, whenOver);
    }
    requireThere(piece);
    BulkPath.Flight flight =
        path.fly(
            piece.length(),
            () -> {
              underWay--;
              if (path.isClosed()) {
                readHere(piece);
              }
              whenOver.run();
              freeIfClosing();
            });
    SendResult result =
        path.port()
            .writeFile(
                target,
                piece.targetAt(),
                file.file().channel(),
                file.offset() + piece.at(),
                piece.length(),
                piece.checkpoint(),
                flight);
    if (result == SendResult.SENT) {
      underWay++;
      flight.sent();
    }
    return result;
  }

  /**
   * A link that finds out by itself that bytes are not there is lost. Of a file that the kernel
   * makes up, such as one of /sys, less is there than its size says, and a link waits for the rest:
   * whether the end is there is looked at once.
   */
  private void requireThere(Piece piece) throws TransferProblem {
    if (!endSeen) {
      file.requireEnd();
      endSeen = true;
    }
    long end = file.offset() + piece.at() + piece.length();
    if (file.file().size() < end) {
      throw file.file().endsBefore(end - 1);
    }
  }

  /** A link that cannot read a file is lost, and so would be each one after it. */
  private void readHere(Piece piece) {
    Owner hears = owner;
    if (closing == null && hears != null) {
      RunOn.FILES.run(
          host,
          () -> file.read(piece.at(), MemorySegment.ofArray(new byte[piece.length()])),
          failure -> {
            if (failure != null) {
              hears.cannotSupply(failure);
            }
          });
    }
  }

  @Override
  public boolean waitsForConfirmation(long at) {
    return staged.waitsForConfirmation(at);
  }

  @Override
  public void confirmed(long upTo) {
    staged.confirmed(upTo);
  }

  @Override
  public @Nullable Integer checksum() {
    return 0;
  }

  @Override
  public void close(Runnable whenFree) {
    closing = whenFree;
    freeIfClosing();
  }

  private void freeIfClosing() {
    Runnable then = closing;
    if (then != null && underWay == 0) {
      closing = null;
      staged.close(then);
    }
  }
}
