package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Values of types that are known by reflection alone. Each leaf differs from those before; of
 * constants and subtypes the last is taken, which is the one that was added.
 */
final class Sample {
  private int next = 1;

  /** Returns a value of a type. */
  Object of(Type type) throws ReflectiveOperationException {
    return of(type, Map.of());
  }

  private Object of(Type type, Map<Type, Type> arguments) throws ReflectiveOperationException {
    if (type instanceof ParameterizedType generic) {
      Class<?> raw = (Class<?>) generic.getRawType();
      Type argument = generic.getActualTypeArguments()[0];
      argument = arguments.getOrDefault(argument, argument);
      return raw.isRecord()
          ? record(raw, Map.of(raw.getTypeParameters()[0], argument))
          : List.of(of(argument, arguments));
    }
    if (!(type instanceof Class<?> plain)) {
      return of(Objects.requireNonNull(arguments.get(type)), arguments);
    }
    if (plain == String.class) {
      return "text " + next++;
    } else if (plain == int.class) {
      return next++;
    } else if (plain == long.class) {
      return (long) next++;
    } else if (plain == double.class) {
      return (double) next++;
    } else if (plain.isEnum()) {
      return last(plain.getEnumConstants());
    } else if (plain.isSealed()) {
      return of(last(plain.getPermittedSubclasses()), arguments);
    }
    return record(plain, arguments);
  }

  private static <T> T last(T[] choices) {
    return choices[choices.length - 1];
  }

  private Object record(Class<?> type, Map<Type, Type> arguments)
      throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = of(components[i].getGenericType(), arguments);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return type.getDeclaredConstructor(types).newInstance(values);
  }

  /** Returns values for all parameters of a method. */
  Object[] argumentsOf(Method method) throws ReflectiveOperationException {
    Object[] arguments = new Object[method.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = of(method.getGenericParameterTypes()[i]);
    }
    return arguments;
  }

  /** Returns an exception of a type. */
  static Exception exception(Class<?> type, String message) throws ReflectiveOperationException {
    Constructor<?> constructor = type.getConstructor(String.class);
    return (Exception) constructor.newInstance(message);
  }

  /**
   * Looks at what arrived: each leaf is what was sent at its place; what was not sent is a default.
   */
  @SuppressWarnings("EnumOrdinal") // a constant's place is what crosses
  static void assertCarried(Object sent, Object received) throws ReflectiveOperationException {
    if (sent instanceof Record) {
      assertAllCarried(parts(sent), parts(received));
    } else if (sent instanceof List<?> list) {
      assertAllCarried(list.toArray(), ((List<?>) received).toArray());
    } else if (sent instanceof Enum<?> constant && received instanceof Enum<?> other) {
      assertThat(other.ordinal()).isEqualTo(constant.ordinal());
    } else {
      assertThat(received).isEqualTo(sent);
    }
  }

  static void assertAllCarried(Object[] sent, Object[] received)
      throws ReflectiveOperationException {
    for (int i = 0; i < received.length; i++) {
      if (i < sent.length) {
        assertCarried(sent[i], received[i]);
      } else {
        assertThat(received[i]).isIn(null, 0, 0L, 0d, Optional.empty(), List.of());
      }
    }
  }

  private static Object[] parts(Object value) throws ReflectiveOperationException {
    assertThat(value).isInstanceOf(Record.class);
    RecordComponent[] components = value.getClass().getRecordComponents();
    Object[] parts = new Object[components.length];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = components[i].getAccessor().invoke(value);
    }
    return parts;
  }
}
