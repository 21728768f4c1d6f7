package io.verbena.testkit.planted;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Loads the product and its tests anew, with the code of a few methods changed. */
public final class PlantedLoader extends ClassLoader {
  private final List<Slip> slips;
  private final Set<Slip> planted = new HashSet<>();

  /**
   * Makes a loader that has loaded nothing.
   *
   * @param slips what it changes
   */
  public PlantedLoader(List<Slip> slips) {
    super(PlantedLoader.class.getClassLoader());
    this.slips = slips;
  }

  /** Returns the slips that changed nothing of the classes loaded so far. */
  public List<Slip> missing() {
    return slips.stream().filter(slip -> !planted.contains(slip)).toList();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known == null && name.startsWith("io.verbena.")) {
        byte[] loaded = read(name);
        for (Slip slip : slips) {
          if (slip.owner().equals(name)) {
            loaded = plant(loaded, slip);
          }
        }
        known = defineClass(name, loaded, 0, loaded.length);
      }
      return known == null ? super.loadClass(name, resolve) : known;
    }
  }

  private byte[] read(String name) throws ClassNotFoundException {
    String path = name.replace('.', '/') + ".class";
    try (InputStream in = getParent().getResourceAsStream(path)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] plant(byte[] bytes, Slip slip) {
    byte[] changed = withBodies(bytes, slip, slip.change());
    if (!Arrays.equals(changed, withBodies(bytes, slip, CodeTransform.ACCEPT_ALL))) {
      planted.add(slip);
    }
    return changed;
  }

  private static byte[] withBodies(byte[] bytes, Slip slip, CodeTransform change) {
    ClassFile file = ClassFile.of();
    return file.transformClass(
        file.parse(bytes),
        ClassTransform.transformingMethodBodies(
            method -> method.methodName().equalsString(slip.method()), change));
  }
}
