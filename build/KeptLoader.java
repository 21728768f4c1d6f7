import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The loader of javac's plugins and annotation processors, when Maven compiles in its own JVM. The
 * classes of one path are loaded once for all modules: javac's own loader begins with cold classes
 * in each of some sixty compilations. javac takes it by {@code -XDprocloader}, from the boot class
 * path ({@code .mvn/jvm.config}); where it is missing, javac takes its own without a word.
 */
public final class KeptLoader extends ClassLoader {
  private static final Map<List<String>, ClassLoader> KEPT = new ConcurrentHashMap<>();

  /** As javac calls it. It closes what it has made, but not what this one delegates to. */
  public KeptLoader(URL[] path, ClassLoader parent) {
    super(
        KEPT.computeIfAbsent(
            Stream.of(path).map(URL::toString).toList(), key -> new URLClassLoader(path, parent)));
  }
}
