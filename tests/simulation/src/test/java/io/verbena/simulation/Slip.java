package io.verbena.simulation;

import java.lang.classfile.CodeTransform;

/**
 * One method of the product that is made wrong.
 *
 * @param owner the name of its class
 * @param method its name; all of that name
 * @param change of its code
 */
record Slip(String owner, String method, CodeTransform change) {
  static Slip in(String owner, String method, CodeTransform change) {
    return new Slip("io.verbena." + owner, method, change);
  }
}
