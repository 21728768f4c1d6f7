/** The types that a contract needs, and its callers. */
module io.verbena.api {
  requires static transitive org.jspecify;

  exports io.verbena.api;
  exports io.verbena.api.bulk;
  exports io.verbena.api.region;
  exports io.verbena.api.settings;
  exports io.verbena.api.stub;
  exports io.verbena.api.wire;
}
