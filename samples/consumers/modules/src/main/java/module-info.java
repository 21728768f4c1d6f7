/** A contract, its server and its client. */
module hello {
  requires io.verbena.core;
  requires static java.compiler;
}
