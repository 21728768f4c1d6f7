/** What ways of observing calls share, and the access log. */
module io.verbena.observe {
  requires transitive io.verbena.api;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.observe;
}
