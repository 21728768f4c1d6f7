package io.verbena.codegen.read;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.LocalVariableInfo;
import java.lang.classfile.attribute.MethodParameterInfo;
import java.lang.reflect.AccessFlag;
import java.nio.file.FileSystemNotFoundException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;
import org.jspecify.annotations.Nullable;

/**
 * The members of types as they were declared. For types that come from class files the compiler is
 * not asked: Eclipse's sorts fields by their names, and leaves out names of parameters.
 */
final class Declarations {
  private final ProcessingEnvironment environment;
  private final Elements elements;
  private final Types types;
  private final Map<TypeElement, Optional<ClassModel>> classFiles = new HashMap<>();

  Declarations(ProcessingEnvironment environment) {
    this.environment = environment;
    this.elements = environment.getElementUtils();
    this.types = environment.getTypeUtils();
  }

  /** Returns whether an element is declared in source code that is compiled now. */
  boolean hasSource(Element element) {
    try {
      JavaFileObject file = elements.getFileObjectOf(element);
      return file != null && file.getKind() == JavaFileObject.Kind.SOURCE;
    } catch (FileSystemNotFoundException e) {
      return false; // Eclipse's compiler: it comes from a jar
    } catch (UnsupportedOperationException e) {
      return true; // Eclipse's compiler: it has source code, and another file manager than usual
    }
  }

  /**
   * Returns the fields or constants of a class in the order of their declaration; null if that
   * cannot be known.
   */
  @Nullable List<VariableElement> fields(TypeElement type, ElementKind kind) {
    List<VariableElement> all =
        type.getEnclosedElements().stream()
            .filter(element -> element.getKind() == kind)
            .map(VariableElement.class::cast)
            .toList();
    if (hasSource(type)) {
      return all;
    }
    ClassModel file = classFile(type);
    if (file != null) {
      return inOrder(
          all,
          file.fields().stream().map(field -> field.fieldName().stringValue()).toList(),
          field -> field.getSimpleName().toString());
    }
    List<String> names = all.stream().map(field -> field.getSimpleName().toString()).toList();
    boolean isSorted = names.stream().sorted().toList().equals(names);
    return names.size() > 1 && isSorted ? null : all;
  }

  /** Returns the constructors of a class, in the order of their declaration if it is known. */
  List<ExecutableElement> constructors(TypeElement type) {
    List<ExecutableElement> all = ElementFilter.constructorsIn(type.getEnclosedElements());
    ClassModel file = hasSource(type) ? null : classFile(type);
    return file == null
        ? all
        : inOrder(
            all,
            file.methods().stream()
                .filter(method -> method.methodName().equalsString("<init>"))
                .map(method -> method.methodType().stringValue())
                .toList(),
            this::descriptor);
  }

  private static <E> List<E> inOrder(List<E> all, List<String> order, Function<E, String> key) {
    return all.stream().sorted(Comparator.comparingInt(e -> order.indexOf(key.apply(e)))).toList();
  }

  /** Returns the name of a parameter; one like {@code arg0} if it has none. */
  String name(VariableElement parameter) {
    String name = parameter.getSimpleName().toString();
    if (!name.matches("arg\\d+")
        || !(parameter.getEnclosingElement() instanceof ExecutableElement method)
        || !(method.getEnclosingElement() instanceof TypeElement type)
        || hasSource(type)) {
      return name;
    }
    int index = Integer.parseInt(name, 3, name.length(), 10);
    ClassModel file = classFile(type);
    return file == null
        ? name
        : file.methods().stream()
            .filter(
                other ->
                    other.methodName().equalsString(method.getSimpleName().toString())
                        && other.methodType().equalsString(descriptor(method)))
            .flatMap(found -> parameterName(found, index).stream())
            .findFirst()
            .orElse(name);
  }

  private static Optional<String> parameterName(MethodModel method, int index) {
    Optional<String> declared =
        method
            .findAttribute(Attributes.methodParameters())
            .filter(names -> index < names.parameters().size())
            .map(names -> names.parameters().get(index))
            .flatMap(MethodParameterInfo::name)
            .map(name -> name.stringValue());
    if (declared.isPresent()) {
      return declared;
    }
    int slot = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
    for (int i = 0; i < index; i++) {
      String type = method.methodTypeSymbol().parameterType(i).descriptorString();
      slot += type.equals("J") || type.equals("D") ? 2 : 1;
    }
    int wanted = slot;
    return method
        .code()
        .flatMap(code -> code.findAttribute(Attributes.localVariableTable()))
        .flatMap(
            table ->
                table.localVariables().stream()
                    .filter(local -> local.slot() == wanted && local.startPc() == 0)
                    .findFirst())
        .map(LocalVariableInfo::name)
        .map(name -> name.stringValue());
  }

  private String descriptor(ExecutableElement method) {
    return method.getParameters().stream()
        .map(parameter -> descriptor(parameter.asType()))
        .collect(Collectors.joining("", "(", ")" + descriptor(method.getReturnType())));
  }

  private String descriptor(TypeMirror type) {
    return switch (type.getKind()) {
      case BOOLEAN -> "Z";
      case BYTE -> "B";
      case SHORT -> "S";
      case CHAR -> "C";
      case INT -> "I";
      case LONG -> "J";
      case FLOAT -> "F";
      case DOUBLE -> "D";
      case ARRAY -> "[" + descriptor(((ArrayType) type).getComponentType());
      case DECLARED -> "L" + binaryName((TypeElement) ((DeclaredType) type).asElement()) + ";";
      case TYPEVAR -> descriptor(types.erasure(type));
      default -> "V";
    };
  }

  private String binaryName(TypeElement type) {
    return elements.getBinaryName(type).toString().replace('.', '/');
  }

  private @Nullable ClassModel classFile(TypeElement type) {
    return classFiles.computeIfAbsent(type, this::read).orElse(null);
  }

  private Optional<ClassModel> read(TypeElement type) {
    try {
      JavaFileObject file = file(type);
      if (file == null || file.getKind() != JavaFileObject.Kind.CLASS) {
        return Optional.empty();
      }
      try (InputStream bytes = file.openInputStream()) {
        return Optional.of(ClassFile.of().parse(bytes.readAllBytes()));
      }
    } catch (IOException | IllegalArgumentException | ReflectiveOperationException e) {
      return Optional.empty(); // the caller reports what depends on it
    }
  }

  private @Nullable JavaFileObject file(TypeElement type)
      throws IOException, ReflectiveOperationException {
    try {
      JavaFileObject file = elements.getFileObjectOf(type);
      if (file != null) {
        return file;
      }
    } catch (FileSystemNotFoundException e) {
      // Eclipse's compiler: it comes from a jar, which the compiler's file manager can read
    }
    JavaFileManager files =
        (JavaFileManager) environment.getClass().getMethod("getFileManager").invoke(environment);
    List<JavaFileManager.Location> places = new ArrayList<>();
    ModuleElement module = elements.getModuleOf(type);
    if (module != null && !module.isUnnamed()) {
      String name = module.getQualifiedName().toString();
      places.add(files.getLocationForModule(StandardLocation.MODULE_PATH, name));
    }
    places.add(StandardLocation.CLASS_PATH);
    for (JavaFileManager.Location place : places) {
      JavaFileObject found =
          place == null
              ? null
              : files.getJavaFileForInput(place, binaryName(type), JavaFileObject.Kind.CLASS);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
