package io.verbena.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of several providers on the class path is used. */
class ProviderChoiceTest {
  private static final String PROPERTY = "verbena.test.tool";

  /** The service that is looked up. */
  public interface Tool {
    String name();

    int priority();
  }

  /** The first on the class path, and the last choice. */
  public static final class Spoon implements Tool {
    @Override
    public String name() {
      return "spoon";
    }

    @Override
    public int priority() {
      return 1;
    }
  }

  /** The first choice. */
  public static final class Drill implements Tool {
    @Override
    public String name() {
      return "drill";
    }

    @Override
    public int priority() {
      return 9;
    }
  }

  /** Cannot be made. */
  public static final class Broken implements Tool {
    /** Fails. */
    public Broken() {
      throw new UnsatisfiedLinkError("no such library");
    }

    @Override
    public String name() {
      return "broken";
    }

    @Override
    public int priority() {
      return 100;
    }
  }

  /** Can be made, and is not even able to say its name. */
  public static final class Nameless implements Tool {
    @Override
    public String name() {
      throw new IllegalStateException("no name");
    }

    @Override
    public int priority() {
      return 100;
    }
  }

  @TempDir private Path classes;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @BeforeEach
  void noNameIsSet() {
    System.clearProperty(PROPERTY);
  }

  @AfterEach
  void restore() {
    System.clearProperty(PROPERTY);
    Thread.currentThread().setContextClassLoader(before);
  }

  private ProviderChoice<Tool> among(String... names) throws IOException {
    Path services = Files.createDirectories(classes.resolve("META-INF/services"));
    Files.write(services.resolve(Tool.class.getName()), List.of(names));
    Thread.currentThread()
        .setContextClassLoader(
            new URLClassLoader(new URL[] {classes.toUri().toURL()}, Tool.class.getClassLoader()));
    return ProviderChoice.of(Tool.class, Tool::name, Tool::priority).named(PROPERTY);
  }

  private static String name(Class<?> tool) {
    return tool.getName();
  }

  @Test
  void theHighestPriorityIsTakenNotTheFirstOnTheClassPath() throws IOException {
    assertThat(among(name(Spoon.class), name(Drill.class)).get(tool -> true))
        .isInstanceOf(Drill.class);
  }

  @Test
  void oneThatIsUsableIsTakenBeforeOneOfHigherPriorityAndKept() throws IOException {
    ProviderChoice<Tool> choice = among(name(Spoon.class), name(Drill.class));
    assertThat(choice.get(tool -> false)).as("none yet").isInstanceOf(Drill.class);
    assertThat(choice.get(tool -> tool instanceof Spoon)).isInstanceOf(Spoon.class);
    assertThat(choice.get(tool -> true)).isInstanceOf(Spoon.class);
  }

  @Test
  void usersNameOneByItsNameOrItsClass() throws IOException {
    System.setProperty(PROPERTY, "spoon");
    assertThat(among(name(Spoon.class), name(Drill.class)).get(tool -> true))
        .isInstanceOf(Spoon.class);
    System.setProperty(PROPERTY, name(Spoon.class));
    assertThat(among(name(Spoon.class), name(Drill.class)).get(tool -> true))
        .isInstanceOf(Spoon.class);
  }

  @Test
  void aNameThatNobodyHasIsSaidWithThoseThatThereAre() throws IOException {
    System.setProperty(PROPERTY, "saw");
    ProviderChoice<Tool> choice = among(name(Spoon.class), name(Drill.class));
    assertThat(choice.get(tool -> true)).isNull();
    assertThat(choice.whyNone())
        .isEqualTo("-D" + PROPERTY + "=saw names none of those on the class path: [drill, spoon]");
  }

  @Test
  void thoseThatCannotBeLoadedAreLeftOutAndTold() throws IOException {
    ProviderChoice<Tool> choice =
        among(name(Broken.class), "no.such.Class", name(Nameless.class), name(Spoon.class));
    assertThat(choice.get(tool -> true)).isInstanceOf(Spoon.class);
    assertThat(choice.whyNone()).contains("no such library", "no.such.Class", "no name");
  }

  /** Is named by the file of services beside this test, which its own class loader sees. */
  public interface Lamp {
    String name();
  }

  /** The one that there is. */
  public static final class Candle implements Lamp {
    @Override
    public String name() {
      return "candle";
    }
  }

  private static ProviderChoice<Lamp> lamps() {
    return ProviderChoice.of(Lamp.class, Lamp::name, lamp -> 0);
  }

  @Test
  void areFoundOnAThreadWhoseContextClassLoaderSeesNothing() throws IOException {
    try (URLClassLoader nothing = new URLClassLoader(new URL[0], null)) {
      Thread.currentThread().setContextClassLoader(nothing);
      assertThat(lamps().names()).containsExactly("candle");
    }
    Thread.currentThread().setContextClassLoader(null);
    assertThat(lamps().names()).containsExactly("candle");
  }

  @Test
  void eachIsFoundOnceHoweverManyClassLoadersSeeIt() {
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], before));
    assertThat(lamps().names()).containsExactly("candle");
  }

  @Test
  void whereTheClassIsThereAndNoFileNamesItTheCureIsToMergeTheFiles() {
    assertThat(ProviderChoice.unlisted(Lamp.class, name(Spoon.class)))
        .contains(name(Spoon.class), "META-INF/services/" + name(Lamp.class), "maven-shade-plugin");
    assertThat(ProviderChoice.unlisted(Lamp.class, "no.such.Lamp")).isEmpty();
  }
}
