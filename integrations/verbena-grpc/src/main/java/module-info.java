/** A transport of gRPC over Verbena's sessions. */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"}) // gRPC's jars
module io.verbena.grpc {
  requires com.google.common;
  requires transitive io.grpc;
  requires transitive io.verbena.core;
  requires io.grpc.internal;
  requires static io.grpc.netty;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.verbena.tcp;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.grpc;

  provides io.grpc.ManagedChannelProvider with
      io.verbena.grpc.VerbenaChannelProvider;
  provides io.grpc.NameResolverProvider with
      io.verbena.grpc.VerbenaNameResolverProvider;
}
