/** Values to bytes and back. */
module io.verbena.codec {
  requires transitive io.verbena.api;
  requires static transitive org.jspecify;

  exports io.verbena.codec;
}
