package io.verbena.bench.house;

import io.verbena.bench.house.Entries.Entered;
import io.verbena.bench.verbena.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts which of Verbena's methods one small call enters, at both ends. It loads Verbena's classes
 * once more, with an instruction at the beginning of each method that tells {@link Entries}.
 */
final class CallTally extends ClassLoader {
  private static final ClassDesc ENTRIES = ClassDesc.of(Entries.class.getName());
  private static final MethodTypeDesc ENTERED =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final List<String> NOT_OF_THE_CALL =
      List.of(CallTally.class.getPackageName() + ".", "io.verbena.testkit.", "io.verbena.verbs.");

  private CallTally() {
    super(CallTally.class.getClassLoader());
  }

  /** Returns what a call enters, without the device and what makes the call. */
  static List<Entered> of(Route route) throws ReflectiveOperationException {
    var program = new CallTally().loadClass(SmallCall.class.getName());
    var call = program.getDeclaredMethod("tallied", String.class);
    call.setAccessible(true);
    call.invoke(null, route.name());
    return Entries.all().stream()
        .filter(one -> NOT_OF_THE_CALL.stream().noneMatch(one.method().type()::startsWith))
        .toList();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.verbena.") || name.startsWith(Entries.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] telling = telling(in.readAllBytes());
        return defineClass(name, telling, 0, telling.length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static byte[] telling(byte[] content) {
    ClassFile files = ClassFile.of();
    return files.transformClass(
        files.parse(content),
        (type, element) -> {
          if (element instanceof MethodModel method && method.code().isPresent()) {
            String owner = method.parent().orElseThrow().thisClass().asInternalName();
            int number =
                Entries.add(
                    new Entries.Method(
                        owner.replace('/', '.'),
                        method.methodName().stringValue(),
                        forwards(method.code().get())));
            type.transformMethod(method, MethodTransform.transformingCode(begins(number)));
          } else {
            type.with(element);
          }
        });
  }

  private static CodeTransform begins(int number) {
    return new CodeTransform() {
      @Override
      public void atStart(CodeBuilder code) {
        code.loadConstant(number).invokestatic(ENTRIES, "entered", ENTERED);
      }

      @Override
      public void accept(CodeBuilder code, CodeElement element) {
        code.with(element);
      }
    };
  }

  /** Returns whether it does no more than {@code return a.b().c(d)}. */
  private static boolean forwards(CodeModel code) {
    List<InvokeInstruction> calls = new ArrayList<>();
    for (CodeElement element : code) {
      switch (element) {
        case InvokeInstruction call -> calls.add(call);
        case LoadInstruction _, ConstantInstruction _, TypeCheckInstruction _ -> {}
        case FieldInstruction field when field.opcode().name().startsWith("GET") -> {}
        case ReturnInstruction _ -> {}
        case Instruction _ -> {
          return false;
        }
        default -> {}
      }
    }
    return calls.stream().filter(call -> call.typeSymbol().parameterCount() > 0).count() <= 1;
  }
}
