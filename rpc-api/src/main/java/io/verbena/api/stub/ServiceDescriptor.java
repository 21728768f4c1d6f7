package io.verbena.api.stub;

import java.util.List;
import java.util.function.Function;

/**
 * A contract as generated.
 *
 * @param type the annotated interface
 * @param name the service's name on the wire
 * @param schema what both ends compare when they first meet over it
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
