package io.verbena.bench.rival;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.verbena.bench.load.Kind;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** The methods for measurements of gRPC. Messages are plain bytes, so that no codec costs time. */
final class GrpcContract {
  static final String SERVICE = "bench.Target";

  static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo");
  static final MethodDescriptor<byte[], byte[]> PUSH = method("Push");
  static final MethodDescriptor<byte[], byte[]> PULL = method("Pull");

  private GrpcContract() {}

  static MethodDescriptor<byte[], byte[]> of(Kind kind) {
    return switch (kind) {
      case CALL, CONNECT -> ECHO;
      case PUSH, PUT -> PUSH;
      case PULL, FETCH -> PULL;
      case ONEWAY, MIXED -> throw new IllegalArgumentException("gRPC does not support this load");
    };
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(Bytes.INSTANCE)
        .setResponseMarshaller(Bytes.INSTANCE)
        .build();
  }

  /** Returns a request for a message: its number, then its size. */
  static byte[] pullRequest(long number, int size) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(number).putInt(size).array();
  }

  private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] value) {
      return new Known(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        byte[] message = new byte[stream.available()];
        if (stream.readNBytes(message, 0, message.length) != message.length) {
          throw new EOFException("a message ended early");
        }
        return message;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A stream with a known length, as of Protobuf messages. gRPC copies other streams twice. */
  private static final class Known extends ByteArrayInputStream implements KnownLength, Drainable {
    Known(byte[] value) {
      super(value);
    }

    @Override
    public synchronized int drainTo(OutputStream target) throws IOException {
      int left = count - pos;
      target.write(buf, pos, left);
      pos = count;
      return left;
    }
  }
}
