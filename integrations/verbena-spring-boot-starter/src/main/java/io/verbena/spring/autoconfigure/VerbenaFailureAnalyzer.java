package io.verbena.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lets Spring Boot print the fault and its cure, instead of a stack trace. */
final class VerbenaFailureAnalyzer extends AbstractFailureAnalyzer<VerbenaStartException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, VerbenaStartException cause) {
    return new FailureAnalysis(cause.what(), cause.cure(), root);
  }
}
