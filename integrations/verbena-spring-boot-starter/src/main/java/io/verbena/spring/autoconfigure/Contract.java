package io.verbena.spring.autoconfigure;

import io.verbena.api.CallOptions;
import io.verbena.api.Channel;
import io.verbena.api.RpcService;
import io.verbena.api.stub.ServiceBinding;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/** A contract with its generated class, which is found by name. */
record Contract(Class<?> type, Class<?> generated) {
  private static final String MARK = RpcService.class.descriptorString();
  private static final String ASYNC = "Async";

  /** Makes stubs over a channel. */
  @FunctionalInterface
  interface Stubs {
    Object over(Channel channel, CallOptions options);
  }

  /**
   * Returns the contract of an interface; null if it is not one.
   *
   * @throws VerbenaStartException if it is marked as a contract, and its generated class is missing
   */
  static @Nullable Contract of(Class<?> type) {
    String name = generatedName(type);
    try {
      Class<?> generated = Class.forName(name, false, type.getClassLoader());
      Method bind = generated.getDeclaredMethod("bind", type);
      return Modifier.isStatic(bind.getModifiers()) ? new Contract(type, generated) : null;
    } catch (ClassNotFoundException e) {
      if (isMarked(type)) {
        throw notGenerated(type, name);
      }
      return null;
    } catch (NoSuchMethodException e) {
      return null; // another class whose name ends in Rpc
    }
  }

  /** Returns the factory of stubs of a type: a contract, or its async stub. */
  static Stubs stubs(Class<?> type) {
    if (type.isInterface()) {
      Contract contract = of(type);
      if (contract != null) {
        return (channel, options) -> contract.call("client", channel, options);
      }
      Class<?> generated = type.getEnclosingClass();
      if (generated != null && type.getSimpleName().equals(ASYNC) && hasAsync(generated, type)) {
        return (channel, options) -> call(generated, "async", channel, options);
      }
    }
    throw new VerbenaStartException(
        "There is no stub of " + type.getName() + ", because it is not a contract",
        "Inject an interface with @RpcService, or the Async that is generated for it, such as StockRpc.Async.");
  }

  ServiceBinding bind(Object implementation) {
    return (ServiceBinding) invoke(method(generated, "bind", type), implementation);
  }

  private Object call(String factory, Channel channel, CallOptions options) {
    return call(generated, factory, channel, options);
  }

  private static Object call(
      Class<?> generated, String factory, Channel channel, CallOptions options) {
    return invoke(method(generated, factory, Channel.class, CallOptions.class), channel, options);
  }

  private static boolean hasAsync(Class<?> generated, Class<?> type) {
    try {
      return generated
          .getDeclaredMethod("async", Channel.class, CallOptions.class)
          .getReturnType()
          .equals(type);
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  /**
   * Returns the name as {@link RpcService} defines it; that of a nested contract includes the names
   * of its outer classes.
   */
  private static String generatedName(Class<?> type) {
    String simple = type.getSimpleName();
    for (Class<?> outer = type.getEnclosingClass();
        outer != null;
        outer = outer.getEnclosingClass()) {
      simple = outer.getSimpleName() + "_" + simple;
    }
    String room = type.getPackageName();
    return (room.isEmpty() ? "" : room + ".") + simple + "Rpc";
  }

  /** The annotation is only in the class file; it is not retained at run time. */
  private static boolean isMarked(Class<?> type) {
    String file = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in != null
          && ClassFile.of()
              .parse(in.readAllBytes())
              .findAttribute(Attributes.runtimeInvisibleAnnotations())
              .map(
                  all -> all.annotations().stream().anyMatch(a -> a.className().equalsString(MARK)))
              .orElse(false);
    } catch (IOException | IllegalArgumentException e) {
      return false; // the failure then says that it is not a contract
    }
  }

  private static VerbenaStartException notGenerated(Class<?> type, String name) {
    return new VerbenaStartException(
        type.getName()
            + " is a contract, and "
            + name
            + ", which the annotation processor generates for it, is missing",
        "Run the annotation processor where the contract is compiled: set io.verbena:codegen in"
            + " annotationProcessorPaths of maven-compiler-plugin, or as annotationProcessor in"
            + " Gradle, and rebuild it.");
  }

  private static Method method(Class<?> generated, String name, Class<?>... parameters) {
    try {
      Method method = generated.getDeclaredMethod(name, parameters);
      method.setAccessible(true); // the generated class is as visible as the contract
      return method;
    } catch (NoSuchMethodException e) {
      throw otherVersion(generated, e);
    }
  }

  private static Object invoke(Method method, Object... arguments) {
    try {
      return method.invoke(null, arguments);
    } catch (InvocationTargetException | IllegalAccessException e) {
      throw otherVersion(method.getDeclaringClass(), e);
    }
  }

  private static VerbenaStartException otherVersion(Class<?> generated, Exception cause) {
    return new VerbenaStartException(
        generated.getName() + " does not fit this version of Verbena: " + cause,
        "Compile it again, with io.verbena:codegen of the version that the application has.",
        cause);
  }
}
