package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The requirements of programs on the module path. */
class ModulesTest {
  private static final Set<String> SHIPPED =
      Set.of(
          "io.verbena.api",
          "io.verbena.arrow",
          "io.verbena.channel",
          "io.verbena.channel.kubernetes",
          "io.verbena.codec",
          "io.verbena.codec.json",
          "io.verbena.codec.kryo",
          "io.verbena.codegen",
          "io.verbena.compression",
          "io.verbena.core",
          "io.verbena.grpc",
          "io.verbena.http",
          "io.verbena.junit",
          "io.verbena.link",
          "io.verbena.mem",
          "io.verbena.observe",
          "io.verbena.observe.micrometer",
          "io.verbena.observe.opentelemetry",
          "io.verbena.rdma",
          "io.verbena.shm",
          "io.verbena.spring",
          "io.verbena.tcp",
          "io.verbena.verbs.disni",
          "io.verbena.verbs.ext",
          "io.verbena.verbs.ffm");

  /** Returns where a class was read from: its jar, or the directory of its module's classes. */
  private static Path place(JavaClass type) {
    String uri = type.getSource().orElseThrow().getUri().toString();
    int end = uri.length() - (type.getName().length() + ".class".length());
    String place = uri.substring(0, end);
    return Path.of(
        URI.create(place.startsWith("jar:") ? place.substring(4, place.length() - 2) : place));
  }

  private static List<ModuleDescriptor> modules() {
    Path[] places =
        Production.CLASSES.stream().map(ModulesTest::place).distinct().toArray(Path[]::new);
    return ModuleFinder.of(places).findAll().stream()
        .map(ModuleReference::descriptor)
        .filter(module -> !module.isAutomatic())
        .toList();
  }

  @Test
  void eachThatIsShippedSaysWhatItRequires() {
    assertThat(modules()).extracting(ModuleDescriptor::name).containsAll(SHIPPED);
  }

  @Test
  void noPackageIsInTwo() {
    Map<String, Set<Path>> places = new TreeMap<>();
    for (JavaClass type : Production.CLASSES) {
      places.computeIfAbsent(type.getPackageName(), any -> new TreeSet<>()).add(place(type));
    }
    assertThat(places)
        .allSatisfy((name, where) -> assertThat(where).as("package %s", name).hasSize(1));
  }

  @Test
  void eachKeepsToThePackagesOfItsName() {
    assertThat(modules())
        .allSatisfy(
            module ->
                assertThat(module.packages())
                    .allMatch(
                        name ->
                            name.equals(module.name()) || name.startsWith(module.name() + ".")));
  }
}
