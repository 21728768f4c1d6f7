/** The shared-memory link. */
module io.verbena.shm {
  requires transitive io.verbena.link;
  requires org.agrona;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.shm;

  provides io.verbena.link.UpgradeProvider with
      io.verbena.shm.ShmUpgradeProvider;
}
