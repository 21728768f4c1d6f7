package io.verbena.tcp;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.unix.Errors.NativeIoException;
import java.nio.channels.FileChannel;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A piece of a file that the kernel sends by itself. The file stays open; its owner closes it. */
final class FilePiece extends DefaultFileRegion {
  private static final Logger LOG = LoggerFactory.getLogger(FilePiece.class);

  /** EPERM, EIO, EACCES, EINVAL, ENOSYS and EOPNOTSUPP, as Netty has them. */
  private static final Set<Integer> NOT_FROM_HERE = Set.of(-1, -5, -13, -22, -38, -95);

  private static volatile boolean refused;

  FilePiece(FileChannel file, long position, int length) {
    super(file, position, length);
  }

  /**
   * Returns whether the kernel can send from the file. Netty's native code assumes a FileChannel of
   * the JDK without a check.
   */
  static boolean canBeOf(FileChannel file) {
    return file.getClass().getName().equals("sun.nio.ch.FileChannelImpl");
  }

  /** Returns whether the kernel has sent from every file so far. A link asks once. */
  static boolean areSent() {
    return !refused;
  }

  /** Heeds why a piece failed. If the kernel cannot send from a file, later links read files. */
  static void failed(Throwable cause) {
    if (isRefusal(cause) && !refused) {
      refused = true;
      LOG.warn(
          "A file's system, or a sandbox, refuses sendfile: files are read to memory from now on",
          cause);
    }
  }

  /** Returns whether a piece failed because of its file, not because of the connection. */
  static boolean isRefusal(Throwable cause) {
    return cause instanceof NativeIoException failure
        && NOT_FROM_HERE.contains(failure.expectedErr());
  }

  @Override
  protected void deallocate() {}
}
