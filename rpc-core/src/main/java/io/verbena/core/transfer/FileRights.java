package io.verbena.core.transfer;

import static java.nio.file.attribute.PosixFilePermission.GROUP_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.GROUP_READ;
import static java.nio.file.attribute.PosixFilePermission.GROUP_WRITE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_READ;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_WRITE;
import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whom a file belongs to, and who may do what with it. File systems without such rights have none
 * here either. Immutable.
 *
 * @param owner null: whoever makes the file
 * @param group null: the group of whoever makes the file, or of its directory
 * @param permissions null: not known
 */
record FileRights(
    @Nullable UserPrincipal owner,
    @Nullable GroupPrincipal group,
    @Nullable Set<PosixFilePermission> permissions) {
  static final FileRights UNKNOWN = new FileRights(null, null, null);

  private static final int STICKY = 01000;
  private static final Set<PosixFilePermission> OWNERS = EnumSet.of(OWNER_READ, OWNER_WRITE);
  private static final Map<PosixFilePermission, PosixFilePermission> OF_OTHERS =
      Map.of(GROUP_READ, OTHERS_READ, GROUP_WRITE, OTHERS_WRITE, GROUP_EXECUTE, OTHERS_EXECUTE);

  private static boolean has(Path file, String view) {
    return file.getFileSystem().supportedFileAttributeViews().contains(view);
  }

  /** Returns the rights of a file, through a symbolic link; the others if there is no file. */
  static FileRights ofOr(Path file, FileRights otherwise) throws IOException {
    if (!has(file, "posix")) {
      return UNKNOWN;
    }
    try {
      PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class);
      return new FileRights(found.owner(), found.group(), found.permissions());
    } catch (NoSuchFileException e) {
      return otherwise;
    }
  }

  /**
   * Returns the rights of a file; if there is none, those that a new file has in its directory.
   *
   * @param trial another file in the same directory, with the rights of a new file; made and
   *     deleted if it is not there
   */
  static FileRights ofOrNew(Path file, Path trial) throws IOException {
    FileRights found = ofOr(file, UNKNOWN);
    if (found.permissions != null || !has(file, "posix")) {
      return found;
    }
    FileRights usual = ofOr(trial, UNKNOWN);
    if (usual.permissions == null) {
      Files.createFile(trial);
      usual = ofOr(trial, UNKNOWN);
      Files.delete(trial);
    }
    return new FileRights(null, null, usual.permissions);
  }

  /** Opens a file, or makes it, for its owner alone. */
  static FileChannel openForOwner(Path file) throws IOException {
    FileAttribute<?>[] attributes =
        has(file, "posix")
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNERS)}
            : new FileAttribute<?>[0];
    FileChannel open =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            attributes);
    boolean usable = false;
    try {
      new FileRights(null, null, attributes.length == 0 ? null : OWNERS).giveTo(file);
      usable = true;
      return open;
    } finally {
      if (!usable) {
        open.close();
      }
    }
  }

  /**
   * Gives them to a file, as far as this user may. If the group cannot be kept, the new group gets
   * no more than all others have.
   */
  void giveTo(Path file) throws IOException {
    Set<PosixFilePermission> wanted = permissions;
    if (wanted == null) {
      return;
    }
    PosixFileAttributeView view =
        Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    PosixFileAttributes now = view.readAttributes();
    if (group != null && !group.equals(now.group()) && !isTaken(() -> view.setGroup(group))) {
      wanted = asForOthers(wanted);
    }
    if (owner != null && !owner.equals(now.owner())) {
      boolean _ = isTaken(() -> view.setOwner(owner)); // otherwise it is this user's
    }
    if (!wanted.equals(now.permissions())) {
      view.setPermissions(wanted);
    }
  }

  @FunctionalInterface
  private interface Change {
    void make() throws IOException;
  }

  private static boolean isTaken(Change change) {
    try {
      change.make();
      return true;
    } catch (IOException e) {
      return false; // only the superuser may
    }
  }

  private static Set<PosixFilePermission> asForOthers(Set<PosixFilePermission> wanted) {
    Set<PosixFilePermission> cut = EnumSet.copyOf(wanted);
    OF_OTHERS.forEach(
        (ofGroup, ofOthers) -> {
          if (!wanted.contains(ofOthers)) {
            cut.remove(ofGroup);
          }
        });
    return cut;
  }

  /**
   * Returns whether this user may not replace a file, because neither it nor its sticky directory
   * is his.
   *
   * @param own a file of this user in the same directory
   */
  static boolean isStuck(Path file, Path own) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !has(file, "unix")) {
      return false;
    }
    int mode = (int) Files.getAttribute(directory, "unix:mode");
    Object user = Files.getAttribute(own, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    return (mode & STICKY) != 0
        && !user.equals(0)
        && !user.equals(Files.getAttribute(directory, "unix:uid"))
        && !user.equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS));
  }
}
