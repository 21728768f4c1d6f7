package io.verbena.grpc;

import io.grpc.ServerStreamTracer;
import io.verbena.core.VerbenaServer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server that its transports need. Immutable.
 *
 * @param mostMessage the longest message to take, in bytes
 * @param mostMetadata the largest headers to take, in bytes
 * @param mostStreams the most streams of a session at once
 * @param relay runs handlers; null if users have set who does
 * @param whenStarted receives the server of Verbena
 */
record GrpcServerSettings(
    int mostMessage,
    int mostMetadata,
    int mostStreams,
    List<? extends ServerStreamTracer.Factory> tracers,
    @Nullable TaskRelay relay,
    Consumer<VerbenaServer> whenStarted) {}
