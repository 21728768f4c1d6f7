package io.verbena.codegen.read;

import com.palantir.javapoet.ClassName;
import io.verbena.api.RpcService;
import io.verbena.api.wire.Serializer;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Shape;
import io.verbena.codegen.read.ShapeReader.Bindings;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads the serializers that a contract names. */
final class SerializerReader {
  private final ShapeReader shapes;
  private final Types types;
  private final Visibility access;
  private final Reporter reporter;

  SerializerReader(ShapeReader shapes, Types types, Visibility access, Reporter reporter) {
    this.shapes = shapes;
    this.types = types;
    this.access = access;
    this.reporter = reporter;
  }

  /** Registers each serializer, and reports invalid ones. */
  void read(List<TypeMirror> serializers, TypeElement contract) {
    for (TypeMirror type : serializers) {
      if (type.getKind() == TypeKind.ERROR) {
        throw new UnresolvedTypeException(type.toString());
      }
      TypeElement serializer = (TypeElement) ((DeclaredType) type).asElement();
      if (!isUsable(serializer)) {
        report(contract, RpcDiagnostic.SERIALIZER_CLASS, serializer.getSimpleName());
        continue;
      }
      Definition.Custom custom = custom(serializer, contract);
      if (custom == null) {
        report(contract, RpcDiagnostic.SERIALIZER_TYPE, serializer.getSimpleName());
        continue;
      }
      Definition.Custom other = shapes.register(custom);
      if (other != null) {
        report(
            contract,
            RpcDiagnostic.SERIALIZER_TWICE,
            other.serializer().simpleName(),
            serializer.getSimpleName(),
            custom.label());
      }
    }
  }

  private void report(TypeElement contract, RpcDiagnostic message, Object... arguments) {
    reporter.errorAt(contract, RpcService.class, "serializers", message, arguments);
  }

  private boolean isUsable(TypeElement serializer) {
    boolean isStatic =
        serializer.getNestingKind() == NestingKind.TOP_LEVEL
            || serializer.getModifiers().contains(Modifier.STATIC);
    return isStatic
        && access.sees(serializer)
        && serializer.getKind() == ElementKind.CLASS
        && !serializer.getModifiers().contains(Modifier.ABSTRACT)
        && access.makes(serializer);
  }

  private Definition.@Nullable Custom custom(TypeElement serializer, TypeElement contract) {
    DeclaredType parent = asSerializer(serializer.asType());
    if (parent == null
        || parent.getTypeArguments().isEmpty()
        || !(parent.getTypeArguments().getFirst() instanceof DeclaredType written)) {
      return null;
    }
    TypeElement element = (TypeElement) written.asElement();
    List<Shape> arguments = new ArrayList<>();
    for (TypeMirror argument : written.getTypeArguments()) {
      if (argument.getKind() == TypeKind.TYPEVAR) {
        return null;
      }
      Shape shape = shapes.read(argument, false, Bindings.NONE, contract);
      if (shape == null) {
        return null;
      }
      arguments.add(shape);
    }
    return new Definition.Custom(
        ShapeReader.name(element, arguments),
        ShapeReader.java(element, arguments),
        element.getSimpleName().toString(),
        ClassName.get(serializer));
  }

  private @Nullable DeclaredType asSerializer(TypeMirror type) {
    if (Visibility.is(type, Serializer.class)) {
      return (DeclaredType) type;
    }
    for (TypeMirror parent : types.directSupertypes(type)) {
      DeclaredType found = asSerializer(parent);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
