package io.verbena.codegen;

import io.verbena.api.RpcService;
import io.verbena.codegen.lock.LockCheck;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.read.Placement;
import io.verbena.codegen.read.ServiceReader;
import io.verbena.codegen.read.ServiceValidator;
import io.verbena.codegen.read.UnresolvedTypeException;
import io.verbena.codegen.write.ServiceWriter;
import java.io.IOException;
import java.lang.annotation.IncompleteAnnotationException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.FilerException;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/** Writes {@code <Interface>Rpc} for each interface annotated with {@link RpcService}. */
public final class VerbenaProcessor extends AbstractProcessor {
  /** The option with the directory of the contracts' locks. Without it there are no locks. */
  private static final String LOCK = "verbena.lock";

  /** The option that forbids changes of locks. */
  private static final String FROZEN = "verbena.lock.frozen";

  /** Contracts that name a type which another processor may still generate. */
  private Set<String> waiting = new LinkedHashSet<>();

  @SuppressWarnings("NullAway.Init") // by init
  private Placement placement;

  @Override
  public synchronized void init(ProcessingEnvironment environment) {
    super.init(environment);
    placement = new Placement(environment);
  }

  /**
   * Returns the annotations that contracts use, and the one in generated code, because javac warns
   * of annotations that no processor claims.
   */
  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of(
        RpcService.class.getPackageName() + ".*",
        "org.jspecify.annotations.*",
        ServiceWriter.GENERATED);
  }

  @Override
  public Set<String> getSupportedOptions() {
    return Set.of(LOCK, FROZEN);
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  /** Reads, validates and writes each contract separately. */
  @Override
  // Unclaimed annotations fail builds with -Xlint:all -Werror.
  @SuppressWarnings("DoNotClaimAnnotations")
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    Set<Element> contracts = new LinkedHashSet<>();
    for (String name : waiting) {
      contracts.add(processingEnv.getElementUtils().getTypeElement(name));
    }
    contracts.addAll(round.getElementsAnnotatedWith(RpcService.class));
    waiting = new LinkedHashSet<>();
    Reporter reporter = new Reporter();
    if (round.processingOver()) {
      placement.end(reporter);
    } else {
      placement.check(round, reporter);
      contracts.forEach(contract -> process((TypeElement) contract));
    }
    reporter.flush(processingEnv.getMessager());
    return true;
  }

  private void process(TypeElement contract) {
    Reporter reporter = new Reporter();
    try {
      Service service = new ServiceReader(processingEnv, reporter).read(contract);
      if (service != null) {
        new ServiceValidator(reporter).validate(service);
        if (reporter.isClean()) {
          lock(service, reporter);
        }
        if (reporter.isClean()) {
          write(service, reporter);
        }
      }
    } catch (UnresolvedTypeException notYet) {
      // If no processor generates the type, javac itself reports it missing.
      waiting.add(contract.getQualifiedName().toString());
      return;
    } catch (IncompleteAnnotationException e) {
      return; // javac itself reports the missing element of an annotation
    }
    reporter.flush(processingEnv.getMessager());
  }

  private void lock(Service service, Reporter reporter) {
    String directory = processingEnv.getOptions().get(LOCK);
    if (directory != null) {
      boolean frozen = Boolean.parseBoolean(processingEnv.getOptions().get(FROZEN));
      new LockCheck(service, Path.of(directory), reporter).run(frozen);
    }
  }

  private void write(Service service, Reporter reporter) {
    try {
      ServiceWriter.write(service, processingEnv.getElementUtils())
          .writeTo(processingEnv.getFiler());
    } catch (FilerException e) {
      reporter.error(
          service.element(),
          RpcDiagnostic.GENERATED_NAME_TAKEN,
          service.generated().canonicalName());
    } catch (IOException e) {
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.ERROR,
              "cannot write " + service.generated().canonicalName() + ": " + e,
              service.element());
    }
  }
}
