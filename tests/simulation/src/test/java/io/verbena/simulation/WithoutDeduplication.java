package io.verbena.simulation;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;

/** Takes the first two tests of a frame's number for passed: it is new, and the next. */
final class WithoutDeduplication implements CodeTransform {
  private boolean isNew;
  private boolean isNext;

  @Override
  public void accept(CodeBuilder code, CodeElement element) {
    if (element instanceof BranchInstruction branch && branch.opcode() == Opcode.IFGT && !isNew) {
      isNew = true;
      code.pop().goto_(branch.target());
    } else if (element instanceof BranchInstruction branch
        && branch.opcode() == Opcode.IFEQ
        && !isNext) {
      isNext = true;
      code.pop().goto_(branch.target());
    } else {
      code.with(element);
    }
  }
}
