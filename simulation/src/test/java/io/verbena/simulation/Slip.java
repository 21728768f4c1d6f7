package io.verbena.simulation;

import java.lang.classfile.CodeTransform;
import java.util.function.Supplier;

/**
 * One method of the product that is made wrong.
 *
 * @param owner the name of its class
 * @param method its name; all of that name
 * @param change of its code, made anew for each use
 */
record Slip(String owner, String method, Supplier<CodeTransform> change) {
  static Slip in(String owner, String method, CodeTransform change) {
    return new Slip("io.verbena." + owner, method, () -> change);
  }
}
