package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that appears when it is whole: until then its bytes are in one beside it. That one is
 * locked as long, so that what a process left behind when it died is told from another transfer's.
 */
final class FileSink implements Sink {
  private static final Logger LOG = LoggerFactory.getLogger(FileSink.class);

  /** Those of this process; a lock tells of those of others. */
  private static final Set<Path> BEING_WRITTEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final Path part;
  private @Nullable FileChannel channel;

  FileSink(Path path) {
    this.path = path.toAbsolutePath();
    this.part = this.path.resolveSibling(this.path.getFileName() + ".part");
  }

  @Override
  public void begin(long length) throws TransferProblem {
    if (Files.isDirectory(path)) { // else all of it would come before the system says so
      throw cannot(
          "write " + path,
          new FileSystemException(
              path.toString(), null, "it is a directory; name the file that is to be in it"));
    }
    // Opening it a second time would be enough to lose its lock: closing that frees both.
    if (!BEING_WRITTEN.add(part)) {
      throw another();
    }
    try {
      FileChannel open = null;
      while (open == null) {
        open = openEmpty();
      }
      channel = open;
    } catch (IOException e) {
      throw cannot("open " + part, e);
    } finally {
      if (channel == null) {
        BEING_WRITTEN.remove(part);
      }
    }
  }

  private TransferProblem another() {
    return new TransferProblem(
        RpcStatus.INVALID_ARGUMENT, "another transfer goes to " + path + " by way of " + part);
  }

  /**
   * Returns null if what was opened is not known to be the file of that name now: it was not there
   * before, or another process has come to its end meanwhile, and it is what was delivered there.
   */
  private @Nullable FileChannel openEmpty() throws IOException, TransferProblem {
    Object before = fileOfThatName();
    FileChannel open = FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean usable = false;
    try {
      if (!isLocked(open)) {
        throw another();
      }
      if (before == null || !before.equals(fileOfThatName())) {
        return null;
      }
      open.truncate(0);
      usable = true;
      return open;
    } finally {
      if (!usable) {
        open.close();
      }
    }
  }

  /** Returns what tells the file from any other; null if there is none. */
  private @Nullable Object fileOfThatName() throws IOException {
    try {
      Object key = Files.readAttributes(part, BasicFileAttributes.class).fileKey();
      return key == null ? part : key; // some systems know nothing but its name
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

  private FileChannel open() {
    FileChannel open = channel;
    if (open == null) {
      throw new IllegalStateException(part + " is not open");
    }
    return open;
  }

  @Override
  public void store(MemorySegment bytes, long offset) throws TransferProblem {
    FileChannel open = open();
    ByteBuffer buffer = bytes.asByteBuffer();
    try {
      while (buffer.hasRemaining()) {
        open.write(buffer, offset + buffer.position());
      }
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
  }

  /**
   * Moves the file to its place when all of it is on the disk: a system writes late, and says only
   * then what it could not.
   */
  @Override
  public void finish() throws TransferProblem {
    FileChannel open = open();
    try {
      open.force(false);
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
    // Before it is unlocked, or another transfer could take it for its own.
    try {
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw cannot("move " + part + " to " + path, e);
    }
    channel = null;
    try {
      open.close();
    } catch (IOException e) {
      LOG.warn("{} is whole and in its place, and could not be closed", path, e);
    } finally {
      BEING_WRITTEN.remove(part);
    }
  }

  private static TransferProblem cannot(String doWhat, IOException cause) {
    return new TransferProblem(
        RpcStatus.RESOURCE_EXHAUSTED, "cannot " + doWhat + ": " + inWords(cause), cause);
  }

  /** The exceptions of some of the system's errors have no words but the file's name. */
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
  public void discard() {
    FileChannel open = channel;
    if (open == null) {
      return;
    }
    try (open) {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      LOG.warn("{} is left behind: delete it", part, e);
    } finally {
      BEING_WRITTEN.remove(part);
    }
  }
}
