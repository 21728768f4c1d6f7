package io.verbena.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.mem.WaitStress;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;

/**
 * Every order of a class's actors, one after another in this thread: what a build has time for. It
 * shows that what is declared is right; that nothing else happens is for {@link StressTest}.
 */
class OrdersTest {
  static Stream<Class<?>> stressed() {
    return Stream.of(LoopStress.class, FutureStress.class, QuotaStress.class, CountersStress.class)
        .flatMap(all -> Arrays.stream(all.getDeclaredClasses()))
        .filter(one -> one.isAnnotationPresent(JCStressTest.class));
  }

  /** If one waits for the other, only this order is possible. */
  static Stream<Class<?>> waiting() {
    return Stream.of(WaitStress.Letter.class, HelmStress.Callers.class);
  }

  @ParameterizedTest
  @MethodSource("stressed")
  void hasAnOutcomeThatIsDeclared(Class<?> stressed) throws Exception {
    for (List<Method> order : orders(annotated(stressed, Actor.class))) {
      assertDeclared(stressed, order);
    }
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void hasAnOutcomeThatIsDeclaredWhereNobodyWaits(Class<?> stressed) throws Exception {
    List<Method> order = new ArrayList<>(annotated(stressed, Actor.class));
    order.sort((a, b) -> Boolean.compare(a.getName().equals("loop"), b.getName().equals("loop")));
    assertDeclared(stressed, order);
  }

  private static void assertDeclared(Class<?> stressed, List<Method> order) throws Exception {
    Object state = stressed.getDeclaredConstructor().newInstance();
    Object result = resultOf(stressed);
    List<Method> steps = new ArrayList<>(order);
    steps.addAll(annotated(stressed, Arbiter.class));
    for (Method step : steps) {
      if (step.getParameterCount() == 0) {
        step.invoke(state);
      } else {
        step.invoke(state, result);
      }
    }
    assertThat(legal(stressed))
        .as("%s after %s", result, order)
        .anyMatch(id -> result.toString().matches(id));
  }

  private static Object resultOf(Class<?> stressed) throws ReflectiveOperationException {
    for (Method method : stressed.getMethods()) {
      if (method.getParameterCount() == 1
          && method.getParameterTypes()[0].getSimpleName().endsWith("_Result")) {
        Constructor<?> made = method.getParameterTypes()[0].getDeclaredConstructor();
        return made.newInstance();
      }
    }
    throw new AssertionError(stressed + " has no result");
  }

  private static List<String> legal(Class<?> stressed) {
    return Arrays.stream(stressed.getAnnotationsByType(Outcome.class))
        .filter(outcome -> outcome.expect() == Expect.ACCEPTABLE)
        .flatMap(outcome -> Arrays.stream(outcome.id()))
        .toList();
  }

  private static List<Method> annotated(Class<?> stressed, Class<? extends Annotation> with) {
    return Arrays.stream(stressed.getMethods())
        .filter(method -> method.isAnnotationPresent(with))
        .toList();
  }

  private static List<List<Method>> orders(List<Method> methods) {
    if (methods.isEmpty()) {
      return List.of(List.of());
    }
    List<List<Method>> all = new ArrayList<>();
    for (Method first : methods) {
      List<Method> others = new ArrayList<>(methods);
      others.remove(first);
      for (List<Method> rest : orders(others)) {
        List<Method> order = new ArrayList<>(List.of(first));
        order.addAll(rest);
        all.add(order);
      }
    }
    return all;
  }
}
