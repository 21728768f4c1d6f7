package io.verbena.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One thing that users may set, and its ends: a row of a table of settings.
 *
 * @param <S> what has been set, to be tried
 * @param id the parameter by which it is set, as {@link #idsOf} names it
 * @param name what messages call it
 * @param ends its range
 * @param setter sets it
 */
public record Setting<S>(String id, String name, Ends ends, Setter<S> setter) {
  /** Sets a value. */
  @FunctionalInterface
  public interface Setter<S> {
    /**
     * Returns what has been set.
     *
     * @throws Throwable if the value is refused
     */
    S set(@Nullable Object value) throws Throwable;
  }

  @Override
  public String toString() {
    return id;
  }

  /**
   * Returns the names of all that may be set by these methods: {@code Type.method/0} for a method's
   * first parameter, {@code Type.method} for a method without any.
   *
   * @param which of the parameters, by their types
   */
  public static Set<String> idsOf(List<Method> methods, Predicate<Class<?>> which) {
    Set<String> ids = new TreeSet<>();
    for (Method method : methods) {
      String name = nameOf(method.getDeclaringClass()) + "." + method.getName();
      Class<?>[] parameters = method.getParameterTypes();
      if (parameters.length == 0 && which.test(void.class)) {
        ids.add(name);
      }
      for (int i = 0; i < parameters.length; i++) {
        if (which.test(parameters[i])) {
          ids.add(name + "/" + i);
        }
      }
    }
    return ids;
  }

  /** Returns the methods of a class by which it is set: those that return its like. */
  public static List<Method> settersOf(Class<?> type) {
    List<Method> setters = new ArrayList<>();
    for (Method method : type.getMethods()) {
      boolean made = method.getParameterCount() == 0 && Modifier.isStatic(method.getModifiers());
      if (method.getReturnType().isAssignableFrom(type)
          && method.getReturnType() != Object.class
          && !made) {
        setters.add(method);
      }
    }
    return setters;
  }

  /** Returns a class's name, with that of the class around it. */
  public static String nameOf(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return outer == null ? type.getSimpleName() : nameOf(outer) + "." + type.getSimpleName();
  }

  /** Calls a method; what it throws is thrown. */
  public static Object call(Method method, @Nullable Object target, @Nullable Object... arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
