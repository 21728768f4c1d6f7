/** The verbs of the system, without native code. */
module io.verbena.verbs.ffm {
  requires transitive io.verbena.verbs.ext;
  requires static transitive org.jspecify;

  exports io.verbena.verbs.ffm;

  provides io.verbena.verbs.ext.VerbsProvider with
      io.verbena.verbs.ffm.FfmProvider;
}
