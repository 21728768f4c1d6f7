package io.verbena.testkit.planted;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/** Small changes of a method's code, each of which makes it wrong. */
public final class Planting {
  private Planting() {}

  /** A field is not written; not one of a long or double. */
  public static CodeTransform withoutWriting(String field) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof FieldInstruction write
                  && write.opcode() == Opcode.PUTFIELD
                  && write.name().equalsString(field);
          if (here) {
            code.pop2(); // the object and the value
          }
          return here;
        });
  }

  /** A field has a value, whatever it has; an int or a boolean. */
  public static CodeTransform reading(String field, int value) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof FieldInstruction read
                  && read.opcode() == Opcode.GETFIELD
                  && read.name().equalsString(field);
          if (here) {
            code.pop().loadConstant(value);
          }
          return here;
        });
  }

  /** A method is not called; what it would return is 0, false or null. */
  public static CodeTransform withoutCalling(String method) {
    return inPlaceOfCalls(
        method,
        (code, call) -> {
          popArguments(code, call);
          switch (TypeKind.from(call.typeSymbol().returnType())) {
            case VOID -> {}
            case LONG -> code.lconst_0();
            case REFERENCE -> code.aconst_null();
            default -> code.iconst_0();
          }
        });
  }

  private static void popArguments(CodeBuilder code, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    for (int i = type.parameterCount() - 1; i >= 0; i--) {
      if (TypeKind.from(type.parameterType(i)).slotSize() == 2) {
        code.pop2();
      } else {
        code.pop();
      }
    }
    if (call.opcode() != Opcode.INVOKESTATIC) {
      code.pop();
    }
  }

  /** A condition never branches, whatever it compares. */
  public static CodeTransform neverBranching(Opcode condition) {
    boolean compares = condition.name().startsWith("IF_");
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof BranchInstruction branch && branch.opcode() == condition;
          if (here && compares) {
            code.pop2();
          } else if (here) {
            code.pop();
          }
          return here;
        });
  }

  /** An exception that was caught is not. */
  public static CodeTransform withoutCatching(String exception) {
    return inPlaceOf(
        (_, element) ->
            element instanceof ExceptionCatch handler
                && handler
                    .catchType()
                    .filter(type -> type.asInternalName().endsWith('/' + exception))
                    .isPresent());
  }

  /** Another number stands for one; of one that fits a short. */
  public static CodeTransform number(int other, int inPlaceOf) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof ConstantInstruction constant
                  && constant.constantValue().equals(inPlaceOf);
          if (here) {
            code.loadConstant(other);
          }
          return here;
        });
  }

  /** What a method returns is taken for the local variable in a slot. */
  public static CodeTransform takenForVariable(String method, int slot) {
    return inPlaceOfCalls(method, (code, call) -> code.with(call).pop().iload(slot));
  }

  /** A method returns another number or boolean. */
  public static CodeTransform returning(String method, int value) {
    return inPlaceOfCalls(method, (code, call) -> code.with(call).pop().loadConstant(value));
  }

  /** A method gets another last argument, which is a number or boolean. */
  public static CodeTransform passing(String method, int value) {
    return inPlaceOfCalls(method, (code, call) -> code.pop().loadConstant(value).with(call));
  }

  /** Another method of the same type is called. */
  public static CodeTransform calling(String other, String inPlaceOf) {
    return inPlaceOfCalls(
        inPlaceOf,
        (code, call) ->
            code.invoke(
                call.opcode(),
                call.owner().asSymbol(),
                other,
                call.typeSymbol(),
                call.isInterface()));
  }

  /** A method returns its list in reverse order. */
  public static CodeTransform reversing(String method) {
    ClassDesc list = ClassDesc.of("java.util.List");
    return inPlaceOfCalls(
        method,
        (code, call) -> code.with(call).invokeinterface(list, "reversed", MethodTypeDesc.of(list)));
  }

  /** Another constant of the same type stands for one. */
  public static CodeTransform constant(String other, String inPlaceOf) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof FieldInstruction read
                  && read.opcode() == Opcode.GETSTATIC
                  && read.name().equalsString(inPlaceOf);
          if (here) {
            FieldInstruction read = (FieldInstruction) element;
            code.getstatic(read.owner().asSymbol(), other, read.typeSymbol());
          }
          return here;
        });
  }

  /** A runnable is run at once, and not kept in a field. */
  public static CodeTransform runInPlaceOfKeeping(String field) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof FieldInstruction write
                  && write.opcode() == Opcode.PUTFIELD
                  && write.name().equalsString(field);
          if (here) {
            code.invokeinterface(
                ClassDesc.of("java.lang.Runnable"),
                "run",
                MethodTypeDesc.of(ConstantDescs.CD_void));
            code.pop();
          }
          return here;
        });
  }

  /** One is added to the long that a method returns. */
  public static CodeTransform oneMoreThan(String method) {
    return inPlaceOfCalls(method, (code, call) -> code.with(call).lconst_1().ladd());
  }

  private static CodeTransform inPlaceOfCalls(
      String method, BiConsumer<CodeBuilder, InvokeInstruction> change) {
    return inPlaceOf(
        (code, element) -> {
          boolean here =
              element instanceof InvokeInstruction call && call.name().equalsString(method);
          if (here) {
            change.accept(code, (InvokeInstruction) element);
          }
          return here;
        });
  }

  private static CodeTransform inPlaceOf(BiPredicate<CodeBuilder, CodeElement> change) {
    return (code, element) -> {
      if (!change.test(code, element)) {
        code.with(element);
      }
    };
  }
}
