package io.verbena.verbs.disni;

import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;

import com.ibm.disni.util.EndianUtils;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Replaces two helpers of DiSNI that JDK 25 does not run without flags or a native library. Threads
 * of active endpoint groups use one of them, and programs with direct buffers the other. They are
 * defined in DiSNI's package before DiSNI's own are loaded, so no module shares that package.
 */
final class DisniHelpers {
  private DisniHelpers() {}

  static void replace() {
    define("NativeAffinity", DisniHelpers::staysWhereTheSystemPutsIt);
    define("MemoryUtils", DisniHelpers::tellsWhereIndexZeroIs);
  }

  private static void define(String name, Consumer<ClassBuilder> methods) {
    Class<?> neighbour = EndianUtils.class;
    ClassDesc type = ClassDesc.of(neighbour.getPackageName(), name);
    byte[] bytes = ClassFile.of().build(type, made -> methods.accept(made.withFlags(ACC_PUBLIC)));
    try {
      MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup()).defineClass(bytes);
    } catch (LinkageError e) {
      // The program has already loaded one, perhaps its own.
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("DiSNI's package is closed to " + DisniHelpers.class, e);
    }
  }

  private static void staysWhereTheSystemPutsIt(ClassBuilder made) {
    made.withMethodBody(
        "setAffinity",
        MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long),
        ACC_PUBLIC | ACC_STATIC,
        code -> code.return_());
    made.withMethodBody(
        "getAffinity",
        MethodTypeDesc.of(ConstantDescs.CD_long),
        ACC_PUBLIC | ACC_STATIC,
        code -> code.lconst_0().lreturn());
  }

  private static void tellsWhereIndexZeroIs(ClassBuilder made) {
    ClassDesc bytes = ByteBuffer.class.describeConstable().orElseThrow();
    ClassDesc buffer = Buffer.class.describeConstable().orElseThrow();
    ClassDesc segment = MemorySegment.class.describeConstable().orElseThrow();
    made.withMethodBody(
        "getAddress",
        MethodTypeDesc.of(ConstantDescs.CD_long, bytes),
        ACC_PUBLIC | ACC_STATIC,
        code ->
            code.aload(0)
                .invokevirtual(bytes, "duplicate", MethodTypeDesc.of(bytes))
                .invokevirtual(bytes, "clear", MethodTypeDesc.of(bytes))
                .invokestatic(segment, "ofBuffer", MethodTypeDesc.of(segment, buffer), true)
                .invokeinterface(segment, "address", MethodTypeDesc.of(ConstantDescs.CD_long))
                .lreturn());
  }
}
