/** The annotation processor. */
module io.verbena.codegen {
  requires com.palantir.javapoet;
  requires io.verbena.api;
  requires java.compiler;
  requires static transitive org.jspecify;

  provides javax.annotation.processing.Processor with
      io.verbena.codegen.VerbenaProcessor;
}
