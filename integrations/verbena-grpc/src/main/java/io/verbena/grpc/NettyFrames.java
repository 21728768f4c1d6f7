package io.verbena.grpc;

import io.grpc.internal.WritableBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of a buffer that a program has put among those of gRPC. Arrow's Flight does that with
 * one of grpc-netty, where it is told to copy nothing.
 */
final class NettyFrames {
  private static final String NAME = "io.grpc.netty.NettyWritableBuffer";

  private NettyFrames() {}

  /** What a buffer of grpc-netty has; found when it is first needed. */
  private static final class Bytes {
    private static final MethodHandle OF = find();

    private static MethodHandle find() {
      try {
        Class<?> type = Class.forName(NAME);
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
            .findVirtual(type, "bytebuf", MethodType.methodType(ByteBuf.class))
            .asType(MethodType.methodType(ByteBuf.class, WritableBuffer.class));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(NAME + " is another one than in 1.79 to 1.85", e);
      }
    }
  }

  /**
   * Returns the frames of a buffer: itself, or those of one of grpc-netty. Long parts of that are
   * sent from where they are.
   */
  static List<Frame> of(WritableBuffer given) {
    if (given instanceof Frame own) {
      return List.of(own);
    }
    ByteBuf bytes = bytes(given);
    List<Frame> frames = new ArrayList<>();
    for (ByteBuffer part : bytes.nioBuffers()) {
      boolean inPlace = part.isDirect() && part.remaining() >= Frame.LEAST_BESIDE;
      while (part.hasRemaining()) {
        frames.add(inPlace ? inPlace(next(part, Received.MOST_BYTES), bytes) : copied(part));
      }
    }
    bytes.release(); // each frame in place keeps it
    return frames;
  }

  private static ByteBuf bytes(WritableBuffer given) {
    if (!given.getClass().getName().equals(NAME)) {
      throw new IllegalStateException(
          "sessions cannot send a buffer of " + given.getClass().getName());
    }
    try {
      return (ByteBuf) Bytes.OF.invokeExact(given);
    } catch (Throwable e) {
      throw new IllegalStateException("no bytes in a buffer of grpc-netty", e);
    }
  }

  private static ByteBuffer next(ByteBuffer part, int most) {
    int length = Math.min(part.remaining(), most);
    ByteBuffer next = part.slice(part.position(), length);
    part.position(part.position() + length);
    return next;
  }

  private static Frame inPlace(ByteBuffer part, ByteBuf owner) {
    owner.retain();
    return Frame.of(part, owner::release);
  }

  private static Frame copied(ByteBuffer part) {
    byte[] copy = new byte[Math.min(part.remaining(), Frame.MOST_IN_MESSAGE)];
    part.get(copy);
    return Frame.of(ByteBuffer.wrap(copy), () -> {});
  }
}
