package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import io.verbena.link.runtime.ThrottledLog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears when it is complete. Until then its bytes are in a part file in the same
 * directory. The part file is locked meanwhile, so the part file of a process that died can be
 * distinguished from that of a running transfer. A later transfer resumes such a part file as far
 * as its bytes are {@linkplain PartSums known to be good}.
 *
 * <p>A transfer whose session has no link gives way to another transfer to the same file, because
 * the sender may have been restarted.
 */
final class FileDestination extends BufferedDestination {
  private static final ThrottledLog UNTIDY =
      ThrottledLog.of(FileDestination.class, "files that could not be closed or deleted");

  /** The part files of this process and their transfers. Locks show those of other processes. */
  private static final Map<Path, FileDestination> BEING_WRITTEN = new ConcurrentHashMap<>();

  private final Waiters others = new Waiters(() -> 0);

  private final Path path;
  private final boolean synced;
  private final Path part;
  private final Path sumsPath;
  private @Nullable FileChannel channel;

  /** Null if no bytes are kept for a later transfer. */
  private @Nullable PartSums sums;

  FileDestination(SessionImpl session, Landing.InFile file) {
    super(session, RunOn.FILES);
    this.path = file.path().toAbsolutePath();
    this.synced = file.synced();
    this.part = this.path.resolveSibling(this.path.getFileName() + ".part");
    this.sumsPath = this.path.resolveSibling(this.path.getFileName() + ".part.sums");
  }

  @Override
  long open(long length, @Nullable Crc crc) throws TransferProblem {
    if (Files.isDirectory(path)) { // otherwise the failure would come after all bytes
      throw cannot(
          RpcStatus.INVALID_ARGUMENT,
          "write " + path,
          new FileSystemException(
              path.toString(), null, "it is a directory; add the name of a file"));
    }
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw cannot(
          RpcStatus.INVALID_ARGUMENT,
          "open " + part,
          new FileSystemException(
              path.toString(),
              null,
              Files.exists(parent)
                  ? "its parent is a file, not a directory"
                  : "no such file or directory: make its directory first"));
    }
    // A second open channel would lose the lock, because closing either one releases it.
    FileDestination other = BEING_WRITTEN.putIfAbsent(part, this);
    if (other != null) {
      throw another(other);
    }
    try {
      FileChannel open = null;
      while (open == null) {
        open = openAndLock();
      }
      channel = open;
      long good = crc == null ? 0 : readAgain(open, length, crc);
      open.truncate(good);
      if (good == 0) {
        Files.deleteIfExists(sumsPath);
      }
      return good;
    } catch (IOException e) {
      discard(false);
      throw cannot("open " + part, e);
    } finally {
      if (channel == null) {
        letGo();
      }
    }
  }

  private long readAgain(FileChannel open, long length, Crc crc) throws IOException {
    PartSums its = new PartSums(sumsPath, length);
    sums = its;
    return its.readAgain(open, crc);
  }

  @Override
  void openAgain() throws TransferProblem {
    try {
      deleteSums();
      opened().truncate(0);
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
  }

  private void deleteSums() throws IOException {
    if (sums != null) {
      sums.delete();
    }
  }

  private void letGo() {
    BEING_WRITTEN.remove(part);
    others.freed();
  }

  private TransferProblem another(FileDestination other) {
    String address = other.session.peer().address();
    String peer = address.isEmpty() ? "a peer that is not connected yet" : address;
    TransferProblem problem = another("one with " + peer).hiding(peer);
    return other.givesWay() ? problem.passing(new Shortage(other.others, () -> 0)) : problem;
  }

  /**
   * Ends this transfer if it has no link, and returns whether it did. Safe for use by any thread.
   */
  private boolean givesWay() {
    if (session.hasLink()) {
      return false;
    }
    session.loop().execute(this::giveWay);
    return true;
  }

  private void giveWay() {
    if (!session.hasLink()) {
      broken(
          new TransferProblem(
              RpcStatus.UNAVAILABLE,
              "another transfer to the same file began while its session had no link"));
    }
  }

  private TransferProblem another(String whose) {
    return new TransferProblem(
            RpcStatus.UNAVAILABLE,
            "another transfer goes to "
                + path
                + " through "
                + part
                + ", "
                + whose
                + ": try again when that has ended")
        .hiding(path);
  }

  /**
   * Returns null if the opened file may not be the one that has this name now. Either the file was
   * not there before, or another process has just completed its transfer and the opened file is the
   * result.
   */
  private @Nullable FileChannel openAndLock() throws IOException, TransferProblem {
    Object before = fileOfThatName();
    FileChannel open =
        FileChannel.open(
            part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    boolean usable = false;
    try {
      if (!isLocked(open)) {
        throw another("one of another process");
      }
      if (before == null || !before.equals(fileOfThatName())) {
        return null;
      }
      usable = true;
      return open;
    } finally {
      if (!usable) {
        open.close();
      }
    }
  }

  /** Returns the key that identifies the file; null if there is no file. */
  private @Nullable Object fileOfThatName() throws IOException {
    try {
      Object key = Files.readAttributes(part, BasicFileAttributes.class).fileKey();
      return key == null ? part : key; // some systems have no file keys
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static boolean isLocked(FileChannel open) throws IOException {
    try {
      return open.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // by this process
    }
  }

  private FileChannel opened() {
    FileChannel open = channel;
    if (open == null) {
      throw new IllegalStateException(part + " is not open");
    }
    return open;
  }

  @Override
  void store(MemorySegment bytes, long offset) throws TransferProblem {
    FileChannel open = opened();
    ByteBuffer buffer = bytes.asByteBuffer();
    try {
      while (buffer.hasRemaining()) {
        open.write(buffer, offset + buffer.position());
      }
      if (sums != null) {
        sums.stored(buffer.flip());
      }
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
  }

  /**
   * Moves the file to its final name. If durability is wanted, all bytes are on the disk before,
   * because a system writes late and reports only then that it could not.
   */
  @Override
  void finish() throws TransferProblem {
    FileChannel open = opened();
    try {
      if (synced) {
        open.force(false);
      }
      deleteSums(); // under the lock: later they may belong to another transfer
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
    // Before the unlock, after which another transfer could use it.
    try {
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw cannot("move " + part + " to " + path, e);
    }
    channel = null;
    try {
      open.close();
    } catch (IOException e) {
      UNTIDY.warn("{} is complete, but its file could not be closed", path, e);
    } finally {
      letGo();
    }
  }

  private TransferProblem cannot(String doWhat, IOException cause) {
    return cannot(RpcStatus.RESOURCE_EXHAUSTED, doWhat, cause);
  }

  private TransferProblem cannot(RpcStatus status, String doWhat, IOException cause) {
    return new TransferProblem(status, "cannot " + doWhat + ": " + inWords(cause), cause)
        .hiding(path);
  }

  /** The message of some exceptions of the file system is the file name alone. */
  private static String inWords(IOException cause) {
    return switch (cause) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      case FileSystemException _ -> cause.toString();
      default -> Objects.requireNonNullElseGet(cause.getMessage(), cause::toString);
    };
  }

  @Override
  void discard(boolean keep) {
    FileChannel open = channel;
    if (open == null) {
      return;
    }
    channel = null;
    try (open) {
      if (keep && sums != null && sums.isAnyKnown()) {
        sums.close();
      } else {
        deleteSums();
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      UNTIDY.warn("{} could not be deleted: delete it", part, e);
    } finally {
      letGo();
    }
  }
}
