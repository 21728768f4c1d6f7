/** The in-memory link. */
module io.verbena.mem {
  requires transitive io.verbena.link;
  requires org.agrona;
  requires static transitive org.jspecify;

  exports io.verbena.mem;

  provides io.verbena.link.LinkProvider with
      io.verbena.mem.InMemoryLinkProvider;
}
