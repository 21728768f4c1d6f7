/** The common part of all observers of calls, and the access log. */
module io.verbena.observe {
  requires transitive io.verbena.api;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.observe;
}
