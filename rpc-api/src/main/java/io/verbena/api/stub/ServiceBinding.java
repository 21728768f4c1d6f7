package io.verbena.api.stub;

/**
 * A contract together with the object that serves it.
 *
 * @param service the contract
 * @param dispatcher passes calls to that object
 */
public record ServiceBinding(ServiceDescriptor<?> service, Dispatcher dispatcher) {}
