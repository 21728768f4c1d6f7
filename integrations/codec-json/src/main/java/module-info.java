/** Converts JSON to values of a contract, and back. */
module io.verbena.codec.json {
  requires transitive com.fasterxml.jackson.core;
  requires io.verbena.codec;
  requires transitive com.fasterxml.jackson.databind;
  requires transitive io.verbena.api;
  requires static transitive org.jspecify;

  exports io.verbena.codec.json;
}
