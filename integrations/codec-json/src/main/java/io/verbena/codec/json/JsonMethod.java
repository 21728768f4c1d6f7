package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.ErrorReader;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ResultReader;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call of a method by a peer's contract, with JSON. To be used once, by one thread. */
public final class JsonMethod {
  private static final String NOTHING = "void";
  private static final List<String> LANDINGS = List.of("landing", "received");

  private final Schema schema;
  private final Schema.Method method;
  private final Shapes shapes;
  private final JsonToWire json;
  private final List<Schema.Member> values;
  private final @Nullable JsonShape items;
  private final long timeoutNanos;

  /** The first item that did not fit. A thread of the handler notices it. */
  private volatile @Nullable WrongJsonException wrongItem;

  /** The result of a call: a value, a stream or nothing. */
  public record Result<T>(@Nullable T value, Flow.@Nullable Publisher<T> items) {}

  /**
   * An item of a stream that is an argument.
   *
   * @param place its place in the input, for messages: {@code "line 3"}
   * @param json called when the peer has requested the item
   */
  public record Item(String place, Supplier<JsonNode> json) {}

  /**
   * Makes a call without a time limit of the method's own.
   *
   * @throws WireException if a type of the method is unknown here, or the method takes or returns a
   *     large object
   */
  public JsonMethod(Schema schema, Schema.Method method) {
    this(schema, new Shapes(schema), method, 0);
  }

  /**
   * Makes a call.
   *
   * @param shapes the contract's types
   * @param timeoutNanos the time limit if the call's options have none; 0 for the session's
   * @throws WireException if a type of the method is unknown here, or the method takes or returns a
   *     large object
   */
  public JsonMethod(Schema schema, Shapes shapes, Schema.Method method, long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
    this.schema = schema;
    this.method = method;
    this.shapes = shapes;
    this.json = new JsonToWire(shapes);
    List<Schema.Member> all = method.parameters();
    if (!canCall(method)) {
      throw new WireException(
          "method %s returns a large object into a Landing, which JSON cannot hold"
              .formatted(method.name()));
    }
    JsonShape last = all.isEmpty() ? null : shapes.of(all.getLast().type());
    this.items = last instanceof JsonShape.Items stream ? stream.element() : null;
    this.values = items == null ? all : all.subList(0, all.size() - 1);
  }

  /** Returns whether a method takes and returns no large object, which JSON cannot hold. */
  public static boolean canCall(Schema.Method method) {
    return !LANDINGS.contains(method.result())
        && method.parameters().stream().noneMatch(one -> LANDINGS.contains(one.type()));
  }

  /** Returns whether the last parameter is a stream. */
  public boolean takesItems() {
    return items != null;
  }

  /** Returns the name of the stream parameter; null if there is none. */
  public @Nullable String itemsName() {
    return items == null ? null : method.parameters().getLast().name();
  }

  /** Returns whether the result is a stream. */
  public boolean returnsItems() {
    return result() instanceof JsonShape.Items;
  }

  /** Makes the call, and waits for the result, as a tree. */
  public Result<JsonNode> call(
      Session session, CallOptions options, JsonNode arguments, Flow.Publisher<Item> given)
      throws Exception {
    return call(session, options, arguments, given, false, WireToJson::read);
  }

  /**
   * Makes the call, and waits for the result.
   *
   * @param arguments an object with the parameters' names, or an array in their order; without the
   *     stream
   * @param given the stream's items; not used if there is no stream parameter
   * @param longsAsText see {@link WireToJson}
   * @param form what the result, or each of its items, is made into
   * @throws WrongJsonException if arguments or items do not fit; nothing of them has been sent
   * @throws DeclaredException if the method throws an exception that it declares
   */
  public <T> Result<T> call(
      Session session,
      CallOptions options,
      JsonNode arguments,
      Flow.Publisher<Item> given,
      boolean longsAsText,
      Form<T> form)
      throws Exception {
    MethodDescriptor<Object> descriptor = descriptor(new WireToJson(shapes, longsAsText), form);
    ServiceCaller caller = session.caller(service(descriptor), options);
    try {
      if (method.oneway()) {
        caller.send(descriptor, out -> write(out, arguments, given));
        return new Result<>(null, null);
      }
      return result(caller.call(descriptor, out -> write(out, arguments, given)));
    } catch (RpcException e) {
      if (e.getCause() instanceof WrongJsonException wrong) {
        throw wrong;
      }
      throw e;
    }
  }

  /** Returns the first item that did not fit, for which the call failed; null if all did. */
  public @Nullable WrongJsonException wrongItem() {
    return wrongItem;
  }

  private void write(WireOut out, JsonNode arguments, Flow.Publisher<Item> given) {
    json.members(out, values, arguments);
    JsonShape item = items;
    if (item != null) {
      out.writeStream(given, (to, one) -> write(to, item, one));
    }
  }

  private void write(WireOut out, JsonShape shape, Item item) {
    try {
      json.write(out, shape, item.json().get());
    } catch (WrongJsonException e) {
      WrongJsonException told = e.within(item.place());
      if (wrongItem == null) {
        wrongItem = told;
      }
      throw new RpcException(RpcStatus.INVALID_ARGUMENT, String.valueOf(told.getMessage()), told);
    }
  }

  /** The contract is the peer's own, so it always fits. */
  private ServiceDescriptor<ServiceCaller> service(MethodDescriptor<Object> descriptor) {
    return new ServiceDescriptor<>(
        ServiceCaller.class, schema.service(), schema, List.of(descriptor), caller -> caller);
  }

  private MethodDescriptor<Object> descriptor(WireToJson reader, Form<?> form) {
    return new MethodDescriptor<>(
        schema.service(),
        method.id(),
        method.name(),
        false,
        method.oneway(),
        false,
        timeoutNanos,
        results(reader, form),
        errors(reader),
        takesItems() || returnsItems());
  }

  @SuppressWarnings("unchecked") // the reader of results makes what the form makes
  private static <T> Result<T> result(@Nullable Object read) {
    return read instanceof Flow.Publisher<?> stream
        ? new Result<>(null, (Flow.Publisher<T>) stream)
        : new Result<>((T) read, null);
  }

  private @Nullable JsonShape result() {
    return method.result().equals(NOTHING) ? null : shapes.of(method.result());
  }

  private ResultReader<Object> results(WireToJson reader, Form<?> form) {
    JsonShape result = result();
    return switch (result) {
      case null -> in -> null;
      case JsonShape.Items stream ->
          in -> in.readStream(from -> form.read(reader, from, stream.element()));
      default -> in -> form.read(reader, in, result);
    };
  }

  private @Nullable ErrorReader errors(WireToJson reader) {
    List<String> types = method.errors();
    return types.isEmpty()
        ? null
        : (index, in) ->
            index < 0 || index >= types.size()
                ? null
                : new DeclaredException(
                    types.get(index), reader.read(in, shapes.of(types.get(index))));
  }
}
