/** What DiSNI's API lacks, and the seam for verbs providers. */
module io.verbena.verbs.ext {
  requires transitive disni;
  requires static transitive org.jspecify;

  exports io.verbena.verbs.ext;

  uses com.ibm.disni.verbs.RdmaProvider;
}
