package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.util.DefaultGenerics;
import com.esotericsoftware.kryo.kryo5.util.Generics;
import java.lang.reflect.TypeVariable;
import org.jspecify.annotations.Nullable;

/**
 * Kryo's handling of generic types, which also reports the type of each field before its value is
 * read.
 */
@SuppressWarnings("rawtypes") // raw types, as in Kryo
final class Declared implements Generics {
  private final StrictKryo kryo;
  private final Generics generics;

  Declared(StrictKryo kryo) {
    this.kryo = kryo;
    this.generics = new DefaultGenerics(kryo);
  }

  @Override
  public void pushGenericType(GenericType fieldType) {
    kryo.declareNext(fieldType);
    generics.pushGenericType(fieldType);
  }

  @Override
  public GenericsHierarchy buildHierarchy(Class type) {
    return generics.buildHierarchy(type);
  }

  @Override
  public void popGenericType() {
    generics.popGenericType();
  }

  @Override
  public GenericType @Nullable [] nextGenericTypes() {
    return generics.nextGenericTypes();
  }

  @Override
  public @Nullable Class nextGenericClass() {
    return generics.nextGenericClass();
  }

  @Override
  public int pushTypeVariables(GenericsHierarchy hierarchy, GenericType[] arguments) {
    return generics.pushTypeVariables(hierarchy, arguments);
  }

  @Override
  public void popTypeVariables(int count) {
    generics.popTypeVariables(count);
  }

  @Override
  public @Nullable Class resolveTypeVariable(TypeVariable variable) {
    return generics.resolveTypeVariable(variable);
  }

  @Override
  public int getGenericTypesSize() {
    return generics.getGenericTypesSize();
  }
}
