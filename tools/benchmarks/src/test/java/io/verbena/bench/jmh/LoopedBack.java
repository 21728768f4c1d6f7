package io.verbena.bench.jmh;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the argument of a call and decodes it as its result: all that a call does with values,
 * and nothing else. For methods that return the type that they take, and one thread.
 */
final class LoopedBack implements ServiceCaller {
  private static final int MOST_BYTES = 1 << 20;
  private static final int DEPTH = 64;

  private final ByteBuffer slot = ByteBuffer.allocateDirect(64 << 10);
  private final WireEncoder encoder = new WireEncoder();
  private final WireDecoder decoder = new WireDecoder();

  /** Returns how many bytes the last value took. */
  int length() {
    return encoder.length();
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments) {
    encoder.start(slot, 0, MOST_BYTES, DEPTH);
    arguments.write(encoder);
    decoder.start(encoder.buffer(), 0, encoder.length(), DEPTH);
    return method.result().read(decoder);
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    throw new UnsupportedOperationException();
  }
}
