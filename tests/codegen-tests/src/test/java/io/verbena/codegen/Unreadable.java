package io.verbena.codegen;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.tools.JavaFileObject;
import org.jspecify.annotations.Nullable;

/** The processor in an environment that hands out no class files, as Eclipse's workbench has it. */
final class Unreadable extends AbstractProcessor {
  private final VerbenaProcessor processor = new VerbenaProcessor();

  @Override
  public synchronized void init(ProcessingEnvironment environment) {
    Elements elements = environment.getElementUtils();
    Elements without =
        proxy(
            Elements.class,
            result ->
                result instanceof JavaFileObject file && file.getKind() == JavaFileObject.Kind.CLASS
                    ? null
                    : result,
            elements);
    processor.init(
        proxy(
            ProcessingEnvironment.class,
            result -> result == elements ? without : result,
            environment));
  }

  private static <T> T proxy(Class<T> type, UnaryOperator<@Nullable Object> change, T of) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return change.apply(method.invoke(of, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return processor.getSupportedAnnotationTypes();
  }

  @Override
  public Set<String> getSupportedOptions() {
    return processor.getSupportedOptions();
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return processor.getSupportedSourceVersion();
  }

  @Override
  @SuppressWarnings("DoNotClaimAnnotations") // as the processor's own
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    return processor.process(annotations, round);
  }
}
