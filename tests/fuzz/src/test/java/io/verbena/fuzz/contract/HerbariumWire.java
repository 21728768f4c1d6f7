package io.verbena.fuzz.contract;

import static java.util.Objects.requireNonNull;

import io.verbena.api.bulk.Received;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.fuzz.reference.Contract;
import io.verbena.testkit.contract.Herbarium;
import io.verbena.testkit.contract.HerbariumRpc;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The contract's generated code, called by nothing but bytes. */
public final class HerbariumWire {
  /** The contract in the reference's terms. */
  public static final Contract CONTRACT =
      Contract.of(
          HerbariumRpc.SERVICE.schema(),
          Map.of("io.verbena.testkit.contract.Herbarium.Latin", "java.lang.String"),
          16);

  private static final int MOST_BYTES = 4 << 20;

  private final List<@Nullable Object> taken = new ArrayList<>();
  private final ServiceBinding binding = HerbariumRpc.bind(echo());

  private Herbarium echo() {
    InvocationHandler handler =
        (_, _, arguments) -> {
          taken.clear();
          taken.addAll(Arrays.asList(arguments));
          return arguments.length == 1 ? arguments[0] : null;
        };
    Class<?>[] types = {Herbarium.class};
    return (Herbarium) Proxy.newProxyInstance(Herbarium.class.getClassLoader(), types, handler);
  }

  /** Returns the methods. */
  public static List<MethodDescriptor<?>> methods() {
    return HerbariumRpc.SERVICE.methods();
  }

  /** Returns a method as the schema has it. */
  public static Schema.Method schema(MethodDescriptor<?> method) {
    return HerbariumRpc.SERVICE.schema().methods().stream()
        .filter(one -> one.id() == method.id())
        .findFirst()
        .orElseThrow();
  }

  /** Returns the arguments of the last call. */
  public List<@Nullable Object> taken() {
    return taken;
  }

  /**
   * Has a call's arguments decoded, and what the method returns encoded: the same.
   *
   * @throws io.verbena.api.wire.WireException if they are refused
   */
  public byte[] call(MethodDescriptor<?> method, byte[] arguments) {
    WireDecoder in = decoder(arguments);
    Answer answer = new Answer();
    binding
        .dispatcher()
        .dispatch(
            method,
            in,
            handler -> {
              try {
                handler.run(answer);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    byte[] bytes = new byte[answer.out.length()];
    answer.out.buffer().get(0, bytes);
    return bytes;
  }

  /** Has a result decoded. */
  public static @Nullable Object result(MethodDescriptor<?> method, byte[] result) {
    return method.result().read(decoder(result));
  }

  /** Has a declared exception decoded; null where there is none with this place. */
  public static @Nullable Exception error(MethodDescriptor<?> method, int index, byte[] error) {
    return requireNonNull(method.errors()).read(index, decoder(error));
  }

  private static WireDecoder decoder(byte[] bytes) {
    WireDecoder in = new WireDecoder();
    in.start(ByteBuffer.wrap(bytes), 0, bytes.length, CONTRACT.mostDepth());
    return in;
  }

  private static final class Answer implements Reply {
    private final WireEncoder out = new WireEncoder();

    Answer() {
      out.start(ByteBuffer.allocate(64), 0, MOST_BYTES, CONTRACT.mostDepth());
    }

    @Override
    public WireOut result() {
      return out;
    }

    @Override
    public WireOut error(int index, Exception thrown) {
      throw new AssertionError(thrown);
    }

    @Override
    public void received(Received answer) {
      throw new AssertionError("no method returns an object");
    }
  }
}
