/** The RDMA link. */
module io.verbena.rdma {
  requires transitive io.verbena.link;
  requires transitive io.verbena.verbs.ext;
  requires jdk.jfr;
  requires org.agrona;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.rdma;

  uses io.verbena.verbs.ext.VerbsProvider;

  provides io.verbena.link.UpgradeProvider with
      io.verbena.rdma.RdmaUpgradeProvider;
}
