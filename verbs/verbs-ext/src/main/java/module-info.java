/** Extensions of DiSNI's API, and the interface of verbs providers. */
module io.verbena.verbs.ext {
  requires transitive disni;
  requires static transitive org.jspecify;

  exports io.verbena.verbs.ext;

  uses com.ibm.disni.verbs.RdmaProvider;
}
