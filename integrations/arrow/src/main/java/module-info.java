/** Record batches of Apache Arrow, sent and received without a copy. */
module io.verbena.arrow {
  requires transitive io.verbena.api;
  requires org.apache.arrow.format;
  requires transitive org.apache.arrow.memory.core;
  requires transitive org.apache.arrow.vector;
  requires static transitive org.jspecify;

  exports io.verbena.arrow;
}
