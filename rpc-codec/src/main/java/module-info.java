/** Encodes values to bytes, decodes them, and compares contracts. */
module io.verbena.codec {
  requires transitive io.verbena.api;
  requires static transitive org.jspecify;

  exports io.verbena.codec;
}
