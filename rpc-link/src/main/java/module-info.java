/** The interface that links implement, with the memory, clock, threads and log that they use. */
module io.verbena.link {
  requires transitive io.verbena.api;
  requires transitive io.verbena.codec;
  requires org.jctools.core;
  requires transitive org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.link;
  exports io.verbena.link.memory;
  exports io.verbena.link.runtime;
}
