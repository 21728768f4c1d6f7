package io.verbena.api.stub;

import java.util.List;
import java.util.function.Function;

/**
 * A contract as generated. Immutable.
 *
 * @param type the annotated interface
 * @param name the service's name on the wire
 * @param schema the schema, which both ends compare when the contract is first used
 * @param methods every method, in the order of their ids
 * @param client makes the blocking client
 * @param <T> the annotated interface
 */
public record ServiceDescriptor<T>(
    Class<T> type,
    String name,
    Schema schema,
    List<MethodDescriptor<?>> methods,
    Function<ServiceCaller, T> client) {}
