package io.verbena.testkit.planted;

import java.lang.classfile.CodeTransform;

/**
 * One method of the product that is made wrong.
 *
 * @param owner the name of its class
 * @param method its name; all of that name
 * @param change of its code
 */
public record Slip(String owner, String method, CodeTransform change) {
  /**
   * Returns a slip.
   *
   * @param owner the name of the class after {@code io.verbena.}
   */
  public static Slip in(String owner, String method, CodeTransform change) {
    return new Slip("io.verbena." + owner, method, change);
  }
}
