/** Beans served and stubs injected in Spring Boot. */
module io.verbena.spring {
  requires static io.grpc;
  requires static io.opentelemetry.api;
  requires static io.verbena.grpc;
  requires static io.verbena.http;
  requires static io.verbena.observe.micrometer;
  requires static io.verbena.observe.opentelemetry;
  requires static io.verbena.rdma;
  requires static micrometer.core;
  requires static spring.boot.grpc.client;
  requires static spring.boot.grpc.server;
  requires static spring.boot.health;
  requires static spring.grpc.core;
  requires transitive io.verbena.channel;
  requires io.verbena.observe;
  requires org.slf4j;
  requires spring.aop;
  requires transitive spring.beans;
  requires transitive spring.boot;
  requires transitive spring.boot.autoconfigure;
  requires transitive spring.context;
  requires transitive spring.core;
  requires static transitive org.jspecify;

  // Spring makes beans and binds properties by reflection.
  opens io.verbena.spring;
  opens io.verbena.spring.autoconfigure;

  exports io.verbena.spring;
  exports io.verbena.spring.autoconfigure;
}
