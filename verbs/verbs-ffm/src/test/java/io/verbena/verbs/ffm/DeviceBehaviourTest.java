package io.verbena.verbs.ffm;

import io.verbena.verbs.testkit.ActiveEndpointSuite;
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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The suite of every provider, on a real device. */
@Tag("lab")
class DeviceBehaviourTest {
  @Nested
  class Connections extends ConnectionSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Messages extends MessageSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class OneSided extends OneSidedSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Protection extends ProtectionSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Windows extends WindowSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class SharedReceives extends SharedReceiveSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Flow extends FlowSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class QueuePairs extends QueuePairSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Lifetimes extends LifetimeSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Devices extends DeviceSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class ActiveEndpoints extends ActiveEndpointSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }

  @Nested
  class Disni extends DisniSuite {
    @Override
    protected VerbsHarness newHarness() {
      return new DeviceHarness();
    }
  }
}
