/**
 * Verbena's traces and metrics for OpenTelemetry. {@link
 * io.verbena.observe.opentelemetry.ClientTelemetry} observes calls that are made, {@link
 * io.verbena.observe.opentelemetry.ServerTelemetry} handlers, and {@link
 * io.verbena.observe.opentelemetry.ChannelTelemetry} a channel. Contexts travel in metadata, by the
 * API's propagator.
 */
@NullMarked
package io.verbena.observe.opentelemetry;

import org.jspecify.annotations.NullMarked;
