/**
 * A transport of gRPC over Verbena's sessions. gRPC calls it on any thread; its state belongs to
 * the event loop of each session.
 */
@NullMarked
package io.verbena.grpc;

import org.jspecify.annotations.NullMarked;
