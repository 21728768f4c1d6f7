package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No public signature names a library that Verbena may replace. */
class SignaturesTest {
  private static final List<String> HIDDEN =
      List.of(
          "io.netty.", "com.ibm.disni.", "com.esotericsoftware.", "org.agrona.", "org.jctools.");

  @Test
  void noPublicSignatureOfApiOrCoreNamesALibrary() {
    Set<String> seen =
        Production.CLASSES.stream()
            .filter(
                type ->
                    Stream.of("api", "codec", "link", "core")
                        .anyMatch(module -> isIn(type, "io.verbena." + module)))
            .filter(SignaturesTest::isVisible)
            .flatMap(SignaturesTest::named)
            .collect(Collectors.toSet());
    assertThat(seen).isEmpty();
  }

  private static boolean isIn(JavaClass type, String root) {
    return (type.getPackageName() + ".").startsWith(root + ".")
        && !type.getPackageName().startsWith("io.verbena.codec.kryo");
  }

  private static boolean isVisible(JavaClass type) {
    return isVisible((HasModifiers) type)
        && type.getEnclosingClass().map(SignaturesTest::isVisible).orElse(true);
  }

  private static boolean isVisible(HasModifiers member) {
    return member.getModifiers().contains(JavaModifier.PUBLIC)
        || member.getModifiers().contains(JavaModifier.PROTECTED);
  }

  /** Returns what this type shows of hidden libraries, each with the place that shows it. */
  private static Stream<String> named(JavaClass type) {
    Stream<String> supertypes =
        Stream.concat(type.getRawInterfaces().stream(), type.getRawSuperclass().stream())
            .filter(SignaturesTest::isHidden)
            .map(hidden -> type.getName() + " is a " + hidden.getName());
    Stream<String> members =
        type.getMembers().stream()
            .filter(SignaturesTest::isVisible)
            .filter(
                member ->
                    member.getAllInvolvedRawTypes().stream().anyMatch(SignaturesTest::isHidden))
            .map(member -> member.getFullName());
    return Stream.concat(supertypes, members);
  }

  private static boolean isHidden(JavaClass type) {
    return HIDDEN.stream().anyMatch(type.getName()::startsWith);
  }
}
