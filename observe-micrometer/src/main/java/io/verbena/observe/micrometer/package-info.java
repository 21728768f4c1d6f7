/**
 * Verbena's metrics for Micrometer: {@link io.verbena.observe.micrometer.ClientMetrics} and {@link
 * io.verbena.observe.micrometer.ServerMetrics} measure calls, {@link
 * io.verbena.observe.micrometer.EngineMetrics} tells what clients and servers hold, {@link
 * io.verbena.observe.micrometer.SessionMetrics} counts what becomes of sessions, {@link
 * io.verbena.observe.micrometer.ChannelMetrics} tells what a channel does. Each is given to a
 * builder or bound to a registry by itself, and none needs another.
 */
@NullMarked
package io.verbena.observe.micrometer;

import org.jspecify.annotations.NullMarked;
