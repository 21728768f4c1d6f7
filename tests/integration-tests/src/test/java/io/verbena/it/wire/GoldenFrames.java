package io.verbena.it.wire;

import io.verbena.api.Metadata;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.SchemaWire;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes frames by the product's own encoders, each with what a reader is to find in it. */
final class GoldenFrames {
  private static final int MOST = 1 << 16;
  private static final int DEPTH = 64;

  private final StringBuilder text = new StringBuilder();

  /**
   * A frame's header, but for its version.
   *
   * @param link the epoch of its link
   */
  record Header(
      FrameKind kind,
      int flags,
      int link,
      long number,
      long acknowledged,
      int about,
      long call,
      int place) {
    /** One that is not numbered. */
    static Header unnumbered(FrameKind kind, int link, long acknowledged, int about) {
      return new Header(kind, 0, link, 0, acknowledged, about, 0, 0);
    }

    /** One without a call. */
    static Header numbered(FrameKind kind, long number) {
      return of(kind, number, 0);
    }

    /** One of a call. */
    static Header of(FrameKind kind, long number, long call) {
      return new Header(kind, 0, 1, number, 3, -1, call, 0);
    }

    private String words() {
      return "%s %d %d %d %d %d %d %d"
          .formatted(
              kind,
              flags,
              link & 0xff,
              number & 0xffff_ffffL,
              acknowledged & 0xffff_ffffL,
              Integer.toUnsignedLong(about),
              call,
              place);
    }
  }

  /**
   * Adds a frame.
   *
   * @param found what is in its body, as JSON, behind a word that says what that is
   */
  void add(String name, Header header, String found, Consumer<WireOut> body) {
    add(name, header, found, body, Metadata.EMPTY);
  }

  void add(String name, Header header, String found, Consumer<WireOut> body, Metadata metadata) {
    byte[] bytes = bytes(header, body, metadata);
    text.append(name)
        .append("\n  header ")
        .append(header.words())
        .append("\n  ")
        .append(found)
        .append("\n  bytes ")
        .append(HexFormat.of().formatHex(bytes))
        .append("\n\n");
  }

  /** Returns a frame's bytes. */
  static byte[] bytes(Header header, Consumer<WireOut> body, Metadata metadata) {
    WireEncoder out = new WireEncoder();
    ByteBuffer buffer = ByteBuffer.allocate(MOST);
    out.start(buffer, FrameHeader.BYTES, MOST - FrameHeader.BYTES, DEPTH);
    body.accept(out);
    if (!metadata.isEmpty()) {
      MetadataBlock.write(out, metadata);
    }
    FrameHeader.write(
        buffer,
        FrameHeader.first(header.kind, header.flags),
        header.link,
        header.number,
        header.acknowledged,
        header.about,
        FrameHeader.third(header.call, header.place));
    return Arrays.copyOf(buffer.array(), FrameHeader.BYTES + out.length());
  }

  /** Returns all as they stand in the file. */
  String text() {
    return text.toString();
  }

  static void schema(WireOut out, Schema schema) {
    SchemaWire.write(out, schema);
  }

  // ---- what generated code writes ----

  /** The encoder of a stub's call. */
  private record Captured(MethodDescriptor<?> method, ArgumentWriter arguments) {}

  private static final class Capture extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Captured captured;

    Capture(Captured captured) {
      this.captured = captured;
    }
  }

  /** Returns what writes the arguments of one call of a nursery. */
  static Consumer<WireOut> arguments(Calling calling) {
    ArgumentWriter arguments = captured(calling).arguments();
    return arguments::write;
  }

  /** A call by a stub. */
  @FunctionalInterface
  interface Calling {
    void call(Nursery nursery) throws Exception;
  }

  private static Captured captured(Calling calling) {
    ServiceCaller caller =
        (ServiceCaller)
            Proxy.newProxyInstance(
                ServiceCaller.class.getClassLoader(),
                new Class<?>[] {ServiceCaller.class},
                (proxy, method, given) -> {
                  throw new Capture(
                      new Captured((MethodDescriptor<?>) given[0], (ArgumentWriter) given[1]));
                });
    try {
      calling.call(NurseryRpc.SERVICE.client().apply(caller));
    } catch (Capture e) {
      return e.captured;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("the stub has made no call");
  }

  /** Returns what writes what a nursery's method returns, or throws as declared. */
  static Consumer<WireOut> outcome(Nursery nursery, Calling calling) {
    return out -> {
      Captured call = captured(calling);
      WireEncoder arguments = new WireEncoder();
      ByteBuffer buffer = ByteBuffer.allocate(MOST);
      arguments.start(buffer, 0, MOST, DEPTH);
      call.arguments().write(arguments);
      WireDecoder in = new WireDecoder();
      in.start(buffer, 0, arguments.length(), DEPTH);
      ServiceBinding binding = NurseryRpc.bind(nursery);
      binding.dispatcher().dispatch(call.method(), in, new Answering(out));
    };
  }

  private record Answering(WireOut out) implements IncomingCall, Reply {
    @Override
    public void handle(Handler handler) {
      try {
        handler.run(this);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean isIntercepted() {
      return false;
    }

    @Override
    public void handle(Handler handler, @Nullable Object[] arguments) {
      handle(handler);
    }

    @Override
    public WireOut result() {
      return out;
    }

    @Override
    public void received(Received answer) {
      throw new IllegalStateException("no object is answered with");
    }

    @Override
    public WireOut error(int index, Exception thrown) {
      out.writeVarInt(index);
      out.writeString(thrown.getClass().getName());
      out.writeString(String.valueOf(thrown.getMessage()));
      return out;
    }
  }
}
