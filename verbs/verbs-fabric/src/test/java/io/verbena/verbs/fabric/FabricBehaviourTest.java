package io.verbena.verbs.fabric;

import io.verbena.verbs.testkit.ConnectionSuite;
import io.verbena.verbs.testkit.DeviceSuite;
import io.verbena.verbs.testkit.DisniSuite;
import io.verbena.verbs.testkit.FlowSuite;
import io.verbena.verbs.testkit.LifetimeSuite;
import io.verbena.verbs.testkit.MessageSuite;
import io.verbena.verbs.testkit.OneSidedSuite;
import io.verbena.verbs.testkit.ProtectionSuite;
import io.verbena.verbs.testkit.QueuePairSuite;
import io.verbena.verbs.testkit.SharedReceiveSuite;
import io.verbena.verbs.testkit.VerbsHarness;
import io.verbena.verbs.testkit.WindowSuite;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite of every provider, on a stepped fabric, over several seeds. */
@ParameterizedClass(name = "seed {0}")
@MethodSource("seeds")
class FabricBehaviourTest {
  @Parameter long seed;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("verbena.seeds", 12));
  }

  private VerbsHarness harness() {
    return new FabricHarness(seed);
  }

  @Nested
  class Connections extends ConnectionSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Messages extends MessageSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class OneSided extends OneSidedSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Protection extends ProtectionSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Windows extends WindowSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class SharedReceives extends SharedReceiveSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Flow extends FlowSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class QueuePairs extends QueuePairSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Lifetimes extends LifetimeSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Devices extends DeviceSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }

  @Nested
  class Disni extends DisniSuite {
    @Override
    protected VerbsHarness newHarness() {
      return harness();
    }
  }
}
