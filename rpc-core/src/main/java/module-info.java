/** Client, server and sessions, and the seam for links. */
@SuppressWarnings("module") // some of those exports are to modules that are built later
module io.verbena.core {
  requires transitive io.verbena.api;
  requires transitive io.verbena.link;
  requires java.management;
  requires jdk.jfr;
  requires org.agrona;
  requires org.jctools.core;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.core;
  exports io.verbena.core.bulk to
      io.verbena.channel;
  exports io.verbena.core.bulk.stat;
  exports io.verbena.core.loop;
  exports io.verbena.core.stat to
      io.verbena.channel,
      io.verbena.observe.micrometer;

  uses io.verbena.codec.Lz4;
  uses io.verbena.link.LinkProvider;
  uses io.verbena.link.UpgradeProvider;
}
