/** DiSNI's own calls over any verbs provider, for programs that were written for DiSNI. */
module io.verbena.verbs.disni {
  requires transitive io.verbena.verbs.ext;
  requires static transitive org.jspecify;

  exports io.verbena.verbs.disni;

  uses io.verbena.verbs.ext.VerbsProvider;

  provides com.ibm.disni.verbs.RdmaProvider with
      io.verbena.verbs.disni.DisniBridge;
}
