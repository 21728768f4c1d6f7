package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.testkit.SteppedWorld;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One version of a contract calls every method of another, which a server serves. */
final class Pairing implements AutoCloseable {
  private static final String TEXT = "because";

  private final SteppedWorld world = new SteppedWorld();
  private final ContractVersion client;
  private final Object stub;
  private final List<Object[]> arguments = new ArrayList<>();
  private final List<Object> results = new ArrayList<>();
  private final StringBuilder arrived = new StringBuilder();
  private final boolean sameValues;

  /**
   * Connects a client to a server.
   *
   * @param sameValues whether every value that arrives is one of the sender's
   */
  Pairing(ContractVersion client, ContractVersion server, boolean sameValues)
      throws ReflectiveOperationException {
    this.client = client;
    this.sameValues = sameValues;
    var binding = server.bind((proxy, method, sent) -> answer(method, sent));
    world.server(s -> s.serve(binding));
    stub = client.asyncClient(world.client().session(world.address()));
  }

  private @Nullable Object answer(Method method, Object @Nullable [] sent) throws Throwable {
    arguments.add(sent == null ? new Object[0] : sent);
    Class<?>[] errors = method.getExceptionTypes();
    if (errors.length > 0) {
      throw Sample.exception(errors[errors.length - 1], TEXT);
    }
    if (method.getReturnType() == void.class) {
      return null;
    }
    Object result = new Sample().of(method.getGenericReturnType());
    results.add(result);
    return result;
  }

  /** Calls each method once; returns the failures by the methods' ids. */
  Map<Integer, RpcException> callAll() throws ReflectiveOperationException {
    Map<Integer, RpcException> failures = new TreeMap<>();
    for (MethodDescriptor<?> method : client.service().methods()) {
      RpcException failure = call(method.name());
      if (failure != null) {
        failures.put(method.id(), failure);
      }
    }
    return failures;
  }

  /** Returns what has arrived at either end, in words. */
  String arrived() {
    return arrived.toString();
  }

  private @Nullable RpcException call(String name) throws ReflectiveOperationException {
    Method method =
        Arrays.stream(client.asyncContract().getMethods())
            .filter(m -> m.getName().equals(name))
            .findFirst()
            .orElseThrow();
    Object[] sent = new Sample().argumentsOf(method);
    arguments.clear();
    results.clear();
    Object stage = method.invoke(stub, sent);
    if (stage == null) { // one-way
      world.settle();
      return null;
    }
    CompletableFuture<?> future = ((CompletionStage<?>) stage).toCompletableFuture();
    world.runUntil(future::isDone);
    Throwable thrown = future.isCompletedExceptionally() ? future.exceptionNow() : null;
    if (thrown instanceof RpcException failure) {
      return failure;
    }
    assertThat(arguments).as("calls of %s that arrived", name).hasSize(1);
    if (sameValues) {
      Sample.assertAllCarried(sent, arguments.getFirst());
    }
    arrived.append(Arrays.toString(arguments.getFirst()));
    if (thrown != null) {
      assertThat(thrown).hasMessage(TEXT);
      assertThat(thrown.getClass().getClassLoader()).isSameAs(client.contract().getClassLoader());
    } else if (!results.isEmpty() && !sameValues) {
      arrived.append(future.join());
    } else if (!results.isEmpty()) {
      Sample.assertCarried(results.getFirst(), Objects.requireNonNull(future.join()));
    }
    return null;
  }

  @Override
  public void close() {
    world.close();
  }
}
