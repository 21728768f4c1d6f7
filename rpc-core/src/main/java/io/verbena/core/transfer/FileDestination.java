package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.core.bulk.Crc;
import io.verbena.core.bulk.FilePlace;
import io.verbena.core.bulk.Mounts;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
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
 * <p>Both files have endings that no landing may have. So no file of a user, and no object that a
 * peer names, takes the place of a part file.
 *
 * <p>The part file is its owner's alone. The complete file has the rights of the file that it
 * replaces, otherwise those of a new one.
 *
 * <p>A transfer whose session has no link gives way to another transfer to the same file, because
 * the sender may have been restarted. Another transfer waits for one that is ending.
 */
final class FileDestination extends BufferedDestination {
  private static final ThrottledLog UNTIDY =
      ThrottledLog.of(FileDestination.class, "files that could not be closed or deleted");

  /** The endings of the part file and of the file with its checksums. */
  private static final String PART = ".verbena.part";

  private static final String SUMS = ".verbena.sums";

  /** What the JDK shows in place of bytes that are no character. */
  private static final char UNREADABLE = '\uFFFD';

  /**
   * The part files of this process, in their real directories, and their transfers. Locks show
   * those of other processes.
   */
  private static final Map<Path, FileDestination> BEING_WRITTEN = new ConcurrentHashMap<>();

  private final Waiters others = new Waiters(() -> 0);

  private final Path path;
  private final boolean synced;
  private final Path part;
  private final Path sumsPath;

  /** The key of this transfer among those of this process; null before it is open. */
  private @Nullable Path place;

  private @Nullable FileChannel channel;

  /** Identifies the file of the open channel. */
  private @Nullable Object fileKey;

  /** Null if no bytes are kept for a later transfer. */
  private @Nullable PartSums sums;

  /** The rights of the file that was there before, or of a new one. */
  private FileRights rights = FileRights.UNKNOWN;

  /** Whether all bytes are here, and only their file could not be moved. */
  private boolean whole;

  /** Whether it will soon let go of the part file. */
  private volatile boolean ending;

  FileDestination(SessionImpl session, Landing.InFile file) {
    this(session, file.path().toAbsolutePath(), file.synced());
  }

  private FileDestination(SessionImpl session, Path path, boolean synced) {
    super(session, RunOn.files(FilePlace.of(path), path.toString()));
    this.path = path;
    this.synced = synced;
    this.part = beside(path, PART);
    this.sumsPath = beside(path, SUMS);
  }

  /**
   * Returns a file with a longer name in the same directory. A name that this locale cannot write
   * has the same bytes again, which only a URI keeps.
   */
  private static Path beside(Path file, String ending) {
    String name = String.valueOf(file.getFileName());
    if (name.indexOf(UNREADABLE) < 0 || file.getFileSystem() != FileSystems.getDefault()) {
      return file.resolveSibling(name + ending);
    }
    String uri = file.toUri().toString(); // of a directory, with a slash
    return Path.of(URI.create(uri.replaceAll("/$", "") + ending));
  }

  @Override
  long open(long length, @Nullable Crc crc) throws TransferProblem {
    requirePossible();
    // A second open channel would lose the lock, because closing either one releases it.
    Path mine = realPart();
    FileDestination other = BEING_WRITTEN.putIfAbsent(mine, this);
    if (other != null) {
      throw another(other);
    }
    place = mine;
    try {
      FileChannel open = null;
      while (open == null) {
        open = openAndLock();
      }
      channel = open;
      requireReplaceable();
      long good = crc == null ? 0 : readAgain(open, length, crc);
      open.truncate(good);
      rights = FileRights.ofOrNew(path, sumsPath);
      if (good == 0) {
        Files.deleteIfExists(sumsPath);
      }
      return good;
    } catch (IOException e) {
      discard(false);
      throw cannot("open " + part, e);
    } catch (TransferProblem e) {
      discard(false);
      throw e;
    } finally {
      if (channel == null) {
        letGo();
      }
    }
  }

  /** Fails if the file cannot appear at its path. Otherwise that would fail after all bytes. */
  private void requirePossible() throws TransferProblem {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw impossible(
          "write " + path,
          Files.isDirectory(path)
              ? "it is a directory; add the name of a file"
              : "it is not a regular file; choose another name");
    }
    // Some file systems ignore the case of names.
    String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(PART) || name.endsWith(SUMS)) {
      throw impossible(
          "write " + path,
          "names that end in %s or %s are those of unfinished files; choose another name"
              .formatted(PART, SUMS));
    }
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw impossible(
          "open " + part,
          Files.exists(parent)
              ? "its parent is a file, not a directory"
              : "no such file or directory: make its directory first");
    }
  }

  /**
   * Fails if a file is there that another file cannot replace. The move of the part file would tell
   * only after all bytes.
   */
  private void requireReplaceable() throws IOException, TransferProblem {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Mounts.now().isPoint(path.resolveSibling(".").toRealPath().resolve(path.getFileName()))) {
      throw impossible(
          "replace " + path,
          "it is a mount point: mount its directory instead, or choose another name");
    }
    if (FileRights.isStuck(path, part)) {
      throw impossible(
          "replace " + path,
          "it belongs to another user, and its directory is sticky: choose another directory or"
              + " name");
    }
  }

  private TransferProblem impossible(String what, String why) {
    FileSystemException cause = new FileSystemException(path.toString(), null, why);
    return cannot(RpcStatus.INVALID_ARGUMENT, what, cause);
  }

  /**
   * Returns the part file in its real directory. Fails if its name is too long, or not a file's.
   */
  private Path realPart() throws TransferProblem {
    try {
      BasicFileAttributes found = attributesOfPart();
      if (found != null && !found.isRegularFile()) {
        throw new FileSystemException(
            part.toString(), null, "it is not a regular file, but a link or the like; delete it");
      }
      return part.resolveSibling(".").toRealPath().resolve(part.getFileName());
    } catch (IOException e) {
      throw cannot("open " + part, e);
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
    BEING_WRITTEN.remove(Objects.requireNonNull(place), this); // the next owner may be there
    others.freed();
  }

  private TransferProblem another(FileDestination other) {
    boolean passes = other.ending || other.givesWay();
    TransferProblem problem =
        other.session == session
            ? another("an earlier one of this session")
            : anotherSessions(other.session.peer().address());
    return passes ? problem.passing(new Shortage(other.others, () -> 0)) : problem;
  }

  private TransferProblem anotherSessions(String address) {
    String peer = address.isEmpty() ? "a peer that is not connected yet" : address;
    return another("one with " + peer).hiding(peer);
  }

  @Override
  void giveUp() {
    super.giveUp();
    ending = true;
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
    Object before = keyOfPart();
    FileChannel open = openPart();
    boolean usable = false;
    try {
      lock(open);
      if (before == null || !before.equals(keyOfPart())) {
        return null;
      }
      fileKey = before;
      usable = true;
      return open;
    } finally {
      if (!usable) {
        open.close();
      }
    }
  }

  private FileChannel openPart() throws IOException, TransferProblem {
    try {
      return FileRights.openForOwner(part);
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw impossible(
          "open " + part,
          "files of '%s:' cannot be written in place; choose a directory of the system, or memory"
              .formatted(path.getFileSystem().provider().getScheme()));
    }
  }

  private void lock(FileChannel open) throws IOException, TransferProblem {
    try {
      if (open.tryLock() != null) {
        return;
      }
    } catch (OverlappingFileLockException e) {
      throw another("which this process has open by another name");
    } catch (IOException e) {
      throw new FileSystemException(
          part.toString(),
          null,
          "its file system has no locks ("
              + Thrown.words(e)
              + "): mount it with locks, as Lustre with 'flock', or choose another directory");
    }
    throw another("one of another process");
  }

  /** Returns the attributes of the file that has this name now; null if there is none. */
  private @Nullable BasicFileAttributes attributesOfPart() throws IOException {
    try {
      return Files.readAttributes(part, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Returns the key that identifies the file; null if there is no file. */
  private @Nullable Object keyOfPart() throws IOException {
    BasicFileAttributes found = attributesOfPart();
    if (found == null) {
      return null;
    }
    Object key = found.fileKey();
    return key == null ? part : key; // some systems have no file keys
  }

  /** Returns whether another file has the name of the open file now. */
  private boolean isReplaced() throws IOException {
    Object found = keyOfPart();
    return found != null && !found.equals(fileKey);
  }

  private FileChannel opened() {
    return Objects.requireNonNull(channel, "the part file is not open");
  }

  @Override
  void store(MemorySegment bytes, long offset) throws TransferProblem {
    FileChannel open = opened();
    ByteBuffer buffer = bytes.asByteBuffer();
    try {
      while (buffer.hasRemaining()) {
        open.write(buffer, offset + buffer.position());
      }
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
    try {
      if (sums != null) {
        sums.stored(buffer.flip());
      }
    } catch (IOException e) {
      throw cannot("write " + sumsPath, e);
    }
  }

  /**
   * Moves the file to its final name. If durability is wanted, all bytes are on the disk before,
   * because a system writes late and reports only then that it could not.
   */
  @Override
  void finish() throws TransferProblem {
    ending = true;
    FileChannel open = opened();
    try {
      FileRights.ofOr(path, rights).giveTo(part);
    } catch (IOException e) {
      UNTIDY.warn("{} does not get the rights of the file that it replaces", path, e);
    }
    if (synced) {
      try {
        open.force(false);
      } catch (IOException e) {
        throw cannot("sync " + part, e);
      }
    }
    try {
      if (!Objects.equals(fileKey, keyOfPart())) {
        throw new FileSystemException(
            part.toString(), null, "another program has deleted or replaced it");
      }
    } catch (IOException e) {
      throw cannot("write " + part, e);
    }
    // Before the unlock, after which another transfer could use it.
    try {
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      whole = true;
      throw cannot("move " + part + " to " + path, e);
    }
    channel = null;
    try (open) {
      deleteSums(); // another process may have new ones: it then begins again
    } catch (IOException e) {
      UNTIDY.warn("{} is complete, but its files could not be tidied up", path, e);
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
  boolean isOpen() {
    return channel != null;
  }

  @Override
  void discard(boolean keep) {
    FileChannel open = channel;
    if (open == null) {
      return;
    }
    channel = null;
    try (open) {
      boolean kept = (keep || whole) && sums != null && sums.isAnyKnown();
      if (sums != null) {
        sums.close();
      }
      if (!kept && !isReplaced()) { // otherwise both names are another's
        try {
          deleteSums();
        } finally {
          Files.deleteIfExists(part);
        }
      }
    } catch (IOException e) {
      UNTIDY.warn("{} could not be deleted: delete it", part, e);
    } finally {
      letGo();
    }
  }
}
