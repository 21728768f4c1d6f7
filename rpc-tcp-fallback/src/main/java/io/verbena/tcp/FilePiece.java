package io.verbena.tcp;

import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/** A piece of a file that the kernel sends by itself. The file stays its owner's, and open. */
final class FilePiece extends DefaultFileRegion {
  FilePiece(FileChannel file, long position, int length) {
    super(file, position, length);
  }

  /** Whether the kernel knows a file; Netty's native code looks into its channel unasked. */
  static boolean canBeOf(FileChannel file) {
    return file.getClass().getName().equals("sun.nio.ch.FileChannelImpl");
  }

  @Override
  protected void deallocate() {}
}
