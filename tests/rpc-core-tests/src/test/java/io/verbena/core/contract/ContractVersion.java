package io.verbena.core.contract;

import io.verbena.api.CallOptions;
import io.verbena.api.Channel;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.stub.Stubs;
import io.verbena.codegen.VerbenaProcessor;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * One version of the contract {@code shop.Shop}, compiled from its text and loaded by a class
 * loader of its own, as another program has it.
 */
final class ContractVersion {
  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

  /** Never closed: it keeps the jars of the class path open from one version to the next. */
  private static final StandardJavaFileManager FILES =
      JAVAC.getStandardFileManager(null, Locale.ROOT, null);

  private final Class<?> contract;
  private final Class<?> generated;

  private ContractVersion(Class<?> contract, Class<?> generated) {
    this.contract = contract;
    this.generated = generated;
  }

  /** Compiles a version into a new directory below this one. */
  static ContractVersion compile(String source, Path under)
      throws IOException, ReflectiveOperationException {
    Path classes = Files.createTempDirectory(under, "version");
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    List<String> options =
        List.of(
            "-d", classes.toString(), "-parameters", "-cp", System.getProperty("java.class.path"));
    synchronized (FILES) {
      JavaCompiler.CompilationTask task =
          JAVAC.getTask(null, FILES, diagnostics, options, null, List.of(file(source)));
      task.setProcessors(List.of(new VerbenaProcessor()));
      if (!task.call()) {
        throw new AssertionError(diagnostics.getDiagnostics() + "\n" + source);
      }
    }
    // Never closed: what is thrown may load a class long after.
    ClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()});
    return new ContractVersion(loader.loadClass("shop.Shop"), loader.loadClass("shop.ShopRpc"));
  }

  private static JavaFileObject file(String source) {
    return new SimpleJavaFileObject(
        URI.create("string:///shop/Shop.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }

  /** Returns the interface as this version has it. */
  Class<?> contract() {
    return contract;
  }

  /** Returns the interface of the async client. */
  Class<?> asyncContract() throws ReflectiveOperationException {
    return Class.forName("shop.ShopRpc$Async", true, contract.getClassLoader());
  }

  ServiceDescriptor<?> service() {
    return Stubs.service(contract);
  }

  Object asyncClient(Channel channel) throws ReflectiveOperationException {
    return generated
        .getMethod("async", Channel.class, CallOptions.class)
        .invoke(null, channel, CallOptions.DEFAULT);
  }

  /** Returns an implementation that does with each call what this handler does. */
  ServiceBinding bind(InvocationHandler handler) throws ReflectiveOperationException {
    Object implementation =
        Proxy.newProxyInstance(contract.getClassLoader(), new Class<?>[] {contract}, handler);
    return (ServiceBinding) generated.getMethod("bind", contract).invoke(null, implementation);
  }
}
