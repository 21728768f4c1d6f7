/** Traces and metrics by OpenTelemetry. */
module io.verbena.observe.opentelemetry {
  requires static transitive io.verbena.channel;
  requires static io.verbena.core; // a dependency of channels
  requires transitive io.opentelemetry.api;
  requires transitive io.verbena.observe;
  requires io.opentelemetry.context;
  requires static transitive org.jspecify;

  exports io.verbena.observe.opentelemetry;
}
