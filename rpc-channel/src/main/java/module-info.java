/** Calls over several servers. */
module io.verbena.channel {
  requires transitive io.verbena.core;
  // For the annotation that marks generated code, which checkers then skip.
  requires static transitive java.compiler;
  requires java.management;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports io.verbena.channel;

  uses io.verbena.channel.ResolverProvider;

  provides io.verbena.channel.ResolverProvider with
      io.verbena.channel.StaticResolver.Provider,
      io.verbena.channel.DnsResolver.Provider,
      io.verbena.channel.Names.Provider;
}
