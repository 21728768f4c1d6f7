/** Verbena's services over HTTP. */
module io.verbena.http {
  requires com.fasterxml.jackson.databind;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.haproxy;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.verbena.codec.json;
  requires transitive io.netty.transport;
  requires transitive io.verbena.core;
  requires transitive io.verbena.tcp;
  requires static transitive org.jspecify;

  exports io.verbena.http;
}
