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
 * Stand-ins for the two helpers of DiSNI's that JDK 25 does not let run without flags or a native
 * library: threads of active endpoint groups call one, programs with direct buffers the other. They
 * are made in DiSNI's package before DiSNI's own are loaded, so that no module shares that package.
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
      // The program has loaded one already, which may be its own.
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
