package io.verbena.tcp;

import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/** A piece of a file that the kernel sends by itself. The file stays open; its owner closes it. */
final class FilePiece extends DefaultFileRegion {
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

  @Override
  protected void deallocate() {}
}
