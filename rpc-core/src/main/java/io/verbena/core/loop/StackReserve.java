package io.verbena.core.loop;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * Says whether the calling thread has stack enough left for the code of an event loop. An overflow
 * in the middle of that code would leave its state half changed. So this overflows first, where
 * nothing can break.
 *
 * <p>Java cannot ask for the depth of a stack. A method therefore calls itself until its frames
 * have covered the reserve. Small frames would take thousands of calls, so the method is made at
 * run time with frames of at least two kilobytes. It also passes {@value #SLOTS} arguments to
 * another method, for which every compiler reserves room, and it has as many local variables, for
 * which the interpreter does.
 *
 * <p>Safe for use by any thread.
 */
final class StackReserve {
  /**
   * The stack that is left at least. The JVM keeps 80 KiB more for its own code below every frame
   * of Java.
   */
  static final int BYTES = 64 << 10;

  /** A method has at most 255 arguments. */
  private static final int SLOTS = 250;

  private static final int BYTES_OF_FRAME = SLOTS * Long.BYTES;
  private static final int FRAMES = BYTES / BYTES_OF_FRAME + 1;
  private static final String CLIMB = "climb";
  private static final String LAST = "last";
  private static final MethodTypeDesc OF_CLIMB =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int);
  private static final MethodTypeDesc OF_LAST =
      MethodTypeDesc.of(ConstantDescs.CD_int, Collections.nCopies(SLOTS, ConstantDescs.CD_int));

  /** Null if the method cannot be made, for instance in a native image. */
  private static final @Nullable MethodHandle METHOD = made();

  private StackReserve() {}

  /** Returns whether the reserve is there. */
  static boolean isThere() {
    if (METHOD == null) {
      return false;
    }
    try {
      int _ = (int) METHOD.invokeExact(FRAMES);
      return true;
    } catch (Throwable e) { // StackOverflowError
      return false;
    }
  }

  private static @Nullable MethodHandle made() {
    try {
      MethodHandles.Lookup here = MethodHandles.lookup();
      String name = StackReserve.class.getPackageName() + ".StackClimb";
      ClassDesc type = ClassDesc.of(name);
      byte[] code =
          ClassFile.of()
              .build(
                  type,
                  made ->
                      made.withMethodBody(
                              CLIMB, OF_CLIMB, ClassFile.ACC_STATIC, body -> climb(body, type))
                          .withMethodBody(LAST, OF_LAST, ClassFile.ACC_STATIC, StackReserve::last));
      MethodHandles.Lookup there = here.defineHiddenClass(code, true);
      return there.findStatic(
          there.lookupClass(), CLIMB, MethodType.methodType(int.class, int.class));
    } catch (Throwable e) {
      return null;
    }
  }

  /** {@code return left == 0 ? last(left, left, …) : climb(left - 1)}. */
  private static void climb(CodeBuilder body, ClassDesc type) {
    body.iload(0)
        .istore(SLOTS)
        .iload(0)
        .ifThenElse(
            more -> more.iload(0).iconst_1().isub().invokestatic(type, CLIMB, OF_CLIMB).ireturn(),
            end -> {
              for (int i = 0; i < SLOTS; i++) {
                end.iload(0);
              }
              end.invokestatic(type, LAST, OF_LAST).ireturn();
            });
  }

  /** Returns the sum of its arguments, which makes it too long for a compiler to dissolve it. */
  private static void last(CodeBuilder body) {
    body.iload(0);
    for (int i = 1; i < SLOTS; i++) {
      body.iload(i).iadd();
    }
    body.ireturn();
  }
}
