package io.verbena.verbs.disni;

import io.verbena.verbs.ext.VerbsException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs a program that was written for DiSNI, as it is, on the real devices:
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp verbs-disni.jar:verbs-ffm.jar:verbs-ext.jar:disni.jar:…:app.jar \
 *     io.verbena.verbs.disni.Launch app.Main arguments
 * </pre>
 */
public final class Launch {
  private static final int CANNOT_RUN = 1;

  private Launch() {}

  /**
   * Puts the devices under DiSNI's API and calls another {@code main}. Where that cannot be, it
   * says why and what to do, and the process ends with status 1.
   *
   * @param args the class with that {@code main}, then its arguments
   */
  public static void main(String[] args) throws Throwable {
    Method program = null;
    String obstacle = args.length == 0 ? "name the class whose main to run" : obstacle();
    if (obstacle.isEmpty()) {
      try {
        program = Class.forName(args[0]).getMethod("main", String[].class);
      } catch (ReflectiveOperationException e) {
        obstacle = args[0] + " has no public static void main(String[]): " + e;
      }
    }
    if (program == null) {
      System.err.println("Launch: " + obstacle);
      System.exit(CANNOT_RUN);
      return;
    }
    try {
      program.setAccessible(true); // its class need not be public
      program.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static String obstacle() {
    return DisniBridge.install().map(VerbsException::cure).orElse("");
  }
}
