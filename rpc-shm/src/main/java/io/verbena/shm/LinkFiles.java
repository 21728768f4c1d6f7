package io.verbena.shm;

import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.ChannelSockets;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of links: a directory for each driver, below a directory of the system's in memory.
 * Only this process's user may enter it. Safe for use by any thread.
 *
 * <pre>
 *   /dev/shm/verbena-0123456789abcdef/bell              the socket of the driver
 *                                    /fedcba9876543210  a link's file, until both ends have mapped it
 * </pre>
 */
final class LinkFiles {
  static final Path SHM = Path.of("/dev/shm");

  /** The file name of a driver's socket. */
  static final String BELL = "bell";

  private static final Logger LOG = LoggerFactory.getLogger(LinkFiles.class);
  private static final String PREFIX = "verbena-";
  private static final String PROBE = ".user";
  private static final Pattern NAME = Pattern.compile(PREFIX + "[0-9a-f]{16}");
  private static final Set<PosixFilePermission> OWNERS_FILE =
      PosixFilePermissions.fromString("rw-------");
  static final FileAttribute<?> OWNERS_FILE_ALONE =
      PosixFilePermissions.asFileAttribute(OWNERS_FILE);
  private static final FileAttribute<?> OWNERS_DIRECTORY_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** Bits of a file's mode: its type, and its permissions. */
  private static final int TYPE = 0170000;

  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;
  private static final int SOCKET = 0140000;
  private static final int RIGHTS = 07777;

  /** A directory exists for some time before its socket answers. */
  private static final Duration SURELY_BOUND = Duration.ofSeconds(10);

  private static final int MOST_SWEPT = 256;

  private final Path base;

  /** This process's user, who owns its files; -1 before it is known. */
  private volatile int user = -1;

  LinkFiles(Path base) {
    this.base = base;
  }

  Availability availability() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return new Availability.Unavailable("shared-memory links need Linux");
    }
    if (!Files.isDirectory(base) || !Files.isWritable(base)) {
      return new Availability.Unavailable(
          "no shared memory: " + base + " is not a directory that this process may write to");
    }
    return new Availability.Available(base.toString());
  }

  @Override
  public String toString() {
    return base.toString();
  }

  /** Returns about the number of free bytes there. */
  long roomBytes() throws IOException {
    return Files.getFileStore(base).getUsableSpace();
  }

  Path directory(long id) {
    return base.resolve(PREFIX + name(id));
  }

  /** Returns the address of a driver. */
  static String address(Path directory) {
    return ShmLink.KIND + "://" + directory.getFileName();
  }

  static String name(long id) {
    return HexFormat.of().toHexDigits(id);
  }

  static Path file(Path directory, long id) {
    return directory.resolve(name(id));
  }

  /** Makes a driver's directory, and removes those of dead processes. */
  Path make(long id) throws IOException {
    Path made = Files.createDirectory(directory(id), OWNERS_DIRECTORY_ALONE);
    try {
      requireDirectory(made);
    } catch (IOException e) { // the directory above may have set its mode
      Files.delete(made);
      throw e;
    }
    sweep(Files.getLastModifiedTime(made));
    return made;
  }

  /**
   * Checks a directory that a peer has named.
   *
   * @throws IOException if it does not belong to this user, or others may enter it
   */
  void requireDirectory(Path directory) throws IOException {
    require(directory, DIRECTORY, 0700, "a directory");
  }

  /** Checks that a file is a socket. */
  void requireSocket(Path socket) throws IOException {
    if ((Entry.of(socket).mode & TYPE) != SOCKET) {
      throw new IOException(socket + " is not a socket");
    }
  }

  /** Checks a file that a peer has made for a link. */
  void requireFile(Path file) throws IOException {
    require(file, REGULAR, 0600, "a file");
  }

  private void require(Path path, int type, int rights, String what) throws IOException {
    Entry found = Entry.of(path);
    if ((found.mode & TYPE) != type || (found.mode & RIGHTS) != rights || found.user != user()) {
      throw new IOException(
          "%s must be %s that belongs to this process's user, without permissions for others: it belongs to user %d, with mode %o, and this process is user %d (a user namespace of its own numbers users anew)"
              .formatted(path, what, found.user, found.mode & RIGHTS, user()));
    }
  }

  /** Finds the user from a new file's owner. No other way in the JDK works everywhere. */
  private int user() throws IOException {
    if (user < 0) {
      Path probe = Files.createTempFile(base, PREFIX, PROBE, OWNERS_FILE_ALONE);
      try {
        user = Entry.of(probe).user;
      } finally {
        Files.delete(probe);
      }
    }
    return user;
  }

  /** The system's data of a name. For a symbolic link they are its own, not its target's. */
  private record Entry(int mode, int user) {
    static Entry of(Path path) throws IOException {
      Map<String, Object> found =
          Files.readAttributes(path, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
      if (found.get("mode") instanceof Integer mode && found.get("uid") instanceof Integer user) {
        return new Entry(mode, user);
      }
      throw new IOException(path + " has no owner and rights");
    }
  }

  private void sweep(FileTime now) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(base, PREFIX + "*")) {
      int looked = 0;
      for (Path one : all) {
        if (++looked > MOST_SWEPT) {
          break; // the next driver continues
        }
        String name = one.getFileName().toString();
        if (name.endsWith(PROBE)) {
          removeProbe(one, now);
        } else if (NAME.matcher(name).matches() && isLeft(one, now)) {
          remove(one);
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("Files of dead processes in {} cannot be removed", base, e);
    }
  }

  /** Removes the file of a process that died while it looked for its user. */
  private void removeProbe(Path probe, FileTime now) {
    try {
      if (isOld(probe, now) && Entry.of(probe).user == user()) {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      LOG.debug("{} is in use, or gone already", probe, e);
    }
  }

  private static boolean isOld(Path path, FileTime now) throws IOException {
    FileTime made = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
    return now.toMillis() - made.toMillis() >= SURELY_BOUND.toMillis();
  }

  /** Returns whether a directory belongs to this user, and its socket does not answer. */
  private boolean isLeft(Path directory, FileTime now) {
    try {
      requireDirectory(directory);
      if (!isOld(directory, now)) {
        return false;
      }
      Path bell = directory.resolve(BELL);
      if (!Files.exists(bell, LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
      try (SocketChannel _ = ChannelSockets.connected(bell)) {
        return false;
      }
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes a driver's directory with its files. */
  static void remove(Path directory) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(directory);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} cannot be removed", directory, e);
    }
  }
}
