/** Metrics by Micrometer. */
module io.verbena.observe.micrometer {
  requires static transitive io.verbena.channel;
  requires transitive io.verbena.core;
  requires transitive io.verbena.observe;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;

  exports io.verbena.observe.micrometer;
}
