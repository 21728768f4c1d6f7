package io.verbena.simulation;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;

/** Takes two items where one is taken, and forgets the first. */
final class WithoutFirstItem implements CodeTransform {
  @Override
  public void accept(CodeBuilder code, CodeElement element) {
    if (element instanceof InvokeInstruction call
        && call.name().equalsString("take")
        && call.opcode() != Opcode.INVOKESTATIC) {
      code.dup();
      code.with(element);
      code.pop();
    }
    code.with(element);
  }
}
