package io.verbena.verbs.disni;

import io.verbena.verbs.ext.VerbsException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs an unmodified DiSNI program on the real devices:
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
   * Makes DiSNI's API use the devices, and calls another {@code main}. If the devices cannot be
   * used, it prints the reason and the cure, and the process ends with status 1.
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
      program.setAccessible(true); // its class may be private
      program.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static String obstacle() {
    return DisniBridge.install().map(VerbsException::cure).orElse("");
  }
}
