package io.verbena.architecture;

import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;

import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What an exception says is for people: it is in the machine's language, and the next release says
 * it otherwise. Code decides by type, by number, or by looking itself.
 */
class MessagesTest {
  private static final Set<String> COMPARES =
      Set.of(
          "contains",
          "startsWith",
          "endsWith",
          "equals",
          "equalsIgnoreCase",
          "indexOf",
          "matches",
          "matcher");

  /** Each with its reason. */
  private static final Map<String, String> ALLOWED =
      Map.of(
          "io.verbena.tcp.Tls.isUntrusted",
          "an alert has no other form in JSSE, whose words are not translated",
          "io.verbena.link.runtime.Thrown.repeats",
          "the words looked for are Verbena's own",
          "io.verbena.core.stream.IncomingStream.ofCall",
          "the words looked for are Verbena's own",
          "io.verbena.junit.UnservedContracts.told",
          "the words looked for are Verbena's own",
          "io.verbena.core.bulk.FileTrouble.of",
          "java.io tells the file's name there alone; its reason is not looked at",
          "io.verbena.codec.kryo.KryoFailureText.of",
          "Kryo tells the path to a field there alone; nothing is decided by it");

  private static boolean readsMessage(JavaMethodCall call) {
    String name = call.getTarget().getName();
    boolean ofThrowable = call.getTargetOwner().isAssignableTo(Throwable.class);
    return (ofThrowable && (name.equals("getMessage") || name.equals("getLocalizedMessage")))
        || (name.equals("reason")
            && call.getTargetOwner().getName().equals("io.verbena.link.runtime.Thrown"));
  }

  /** The compared text may be the message only from here on. */
  private static boolean comparesAfter(JavaMethodCall call, int line) {
    return compares(call) && call.getLineNumber() >= line;
  }

  private static boolean compares(JavaMethodCall call) {
    boolean ofText =
        call.getTargetOwner().isEquivalentTo(String.class)
            || call.getTargetOwner().isEquivalentTo(Pattern.class);
    return ofText && COMPARES.contains(call.getTarget().getName());
  }

  private static final ArchCondition<JavaCodeUnit> LOOK_INTO_MESSAGES =
      new ArchCondition<>("read an exception's message and compare texts") {
        @Override
        public void check(JavaCodeUnit unit, ConditionEvents events) {
          Set<JavaMethodCall> calls = unit.getMethodCallsFromSelf();
          boolean looks =
              calls.stream()
                  .filter(MessagesTest::readsMessage)
                  .mapToInt(JavaMethodCall::getLineNumber)
                  .anyMatch(line -> calls.stream().anyMatch(call -> comparesAfter(call, line)));
          looks &= !ALLOWED.containsKey(unit.getOwner().getName() + "." + unit.getName());
          events.add(new SimpleConditionEvent(unit, looks, unit.getFullName()));
        }
      };

  @Test
  void nothingIsDecidedByWhatAnExceptionSays() {
    codeUnits()
        .that()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackage("io.verbena.simulation..") // no user runs it
        .should(not(LOOK_INTO_MESSAGES))
        .because("in another language the same failure has other words")
        .check(Production.CLASSES);
  }
}
