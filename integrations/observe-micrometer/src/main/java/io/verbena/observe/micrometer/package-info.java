/**
 * Verbena's metrics for Micrometer. {@link io.verbena.observe.micrometer.ClientMetrics} and {@link
 * io.verbena.observe.micrometer.ServerMetrics} measure calls. {@link
 * io.verbena.observe.micrometer.EngineMetrics} measures clients and servers, {@link
 * io.verbena.observe.micrometer.ChannelMetrics} a channel. {@link
 * io.verbena.observe.micrometer.SessionMetrics} counts events of sessions. Each is passed to a
 * builder or bound to a registry on its own, and none needs another.
 */
@NullMarked
package io.verbena.observe.micrometer;

import org.jspecify.annotations.NullMarked;
