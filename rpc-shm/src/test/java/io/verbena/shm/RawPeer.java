package io.verbena.shm;

import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * An active end that keeps no rules: it connects, and writes into the link's memory what it likes.
 */
final class RawPeer implements AutoCloseable {
  private final TwoEnds world;
  private final Path directory;
  private final ShmOffer offer;
  private final Arena arena = Arena.ofShared();
  final SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
  private FileChannel file;
  MemorySegment memory;

  @SuppressWarnings("NullAway.Init") // by map
  RawPeer(TwoEnds world, byte[] offer) throws IOException, LinkException {
    this.world = world;
    this.offer = ShmOffer.decode(offer);
    this.directory = new LinkFiles(world.base).directory(this.offer.directory());
    socket.connect(UnixDomainSocketAddress.of(directory.resolve(LinkFiles.BELL)));
    socket.configureBlocking(false);
  }

  /** Says who it is: any bytes. */
  RawPeer say(ByteBuffer bytes) throws IOException {
    socket.write(bytes);
    return this;
  }

  ByteBuffer greeting() {
    ByteBuffer greeting = ByteBuffer.allocate(Opening.GREETING_BYTES).put(ShmOffer.request());
    offer.token().write(greeting);
    Secret.random(new SecureRandom()).write(greeting);
    return greeting.flip();
  }

  /** Returns whether the other end closes the connection before it says anything. */
  boolean isTurnedAway() {
    ByteBuffer answer = ByteBuffer.allocate(1);
    int[] read = new int[1];
    world.stepUntil("an answer", () -> (read[0] = read(answer)) != 0);
    return read[0] < 0;
  }

  private int read(ByteBuffer into) {
    try {
      return socket.read(into);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Opens the link as the rules say. */
  RawPeer map() throws IOException {
    say(greeting());
    ByteBuffer answer = ByteBuffer.allocate(1 + Long.BYTES);
    world.stepUntil("the file", () -> read(answer) < 0 || !answer.hasRemaining());
    Path path = LinkFiles.file(directory, answer.getLong(1));
    file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    memory = file.map(FileChannel.MapMode.READ_WRITE, 0, file.size(), arena);
    return say(ByteBuffer.wrap(new byte[] {Opening.MAPPED}));
  }

  /** Writes a record at the beginning of its ring. */
  void record(int kind, int length) {
    RingFile.LONG.setRelease(memory, RingFile.HEADER_BYTES, Records.of(kind, length));
  }

  /** Writes a piece of bulk at the beginning of its ring. */
  void piece(long target, long at, int bytes) {
    memory.set(ValueLayout.JAVA_LONG, RingFile.HEADER_BYTES + 8, target);
    memory.set(ValueLayout.JAVA_LONG, RingFile.HEADER_BYTES + 16, at);
    record(Records.CHECKPOINT, Records.PIECE_HEADER_BYTES + bytes);
  }

  void truncate(long size) throws IOException {
    file.truncate(size);
  }

  @Override
  public void close() throws IOException {
    socket.close();
    arena.close();
    if (file != null) {
      file.close();
    }
  }
}
