/** Tests of services with JUnit. */
module io.verbena.junit {
  requires transitive io.verbena.core;
  requires transitive org.junit.jupiter.api;
  requires io.verbena.mem;
  requires static transitive org.jspecify;

  exports io.verbena.junit;
}
