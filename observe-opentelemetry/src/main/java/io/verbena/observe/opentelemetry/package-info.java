/**
 * Verbena's traces and metrics for OpenTelemetry: {@link
 * io.verbena.observe.opentelemetry.ClientTelemetry} around the calls that are made, {@link
 * io.verbena.observe.opentelemetry.ServerTelemetry} around handlers, {@link
 * io.verbena.observe.opentelemetry.ChannelTelemetry} for what a channel does. Contexts travel in
 * metadata, by the API's propagator.
 */
@NullMarked
package io.verbena.observe.opentelemetry;

import org.jspecify.annotations.NullMarked;
