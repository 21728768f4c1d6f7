package io.verbena.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.lang.ArchRule;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.loop.SequentialExecutor;
import io.verbena.core.stat.OpenOnes;
import io.verbena.link.HostAndPort;
import io.verbena.link.ProviderChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which module, and which package of the core, may depend on which. */
class ArrowsTest {
  private static final String API = "io.verbena.api..";
  private static final String CODEC = "io.verbena.codec";
  private static final String LINK = "io.verbena.link..";
  private static final String RUNTIME = "io.verbena.link.runtime";
  private static final String CORE = "io.verbena.core..";
  private static final String CHANNEL = "io.verbena.channel";
  private static final String ZOOKEEPER = "io.verbena.channel.zookeeper..";
  private static final String KUBERNETES = "io.verbena.channel.kubernetes..";
  private static final String CODEGEN = "io.verbena.codegen..";
  private static final String JSON = "io.verbena.codec.json..";
  private static final String KRYO = "io.verbena.codec.kryo..";
  private static final String COMPRESSION = "io.verbena.compression..";
  private static final String ARROW = "io.verbena.arrow..";
  private static final String OBSERVE = "io.verbena.observe..";
  private static final String MICROMETER = "io.verbena.observe.micrometer..";
  private static final String OPENTELEMETRY = "io.verbena.observe.opentelemetry..";
  private static final String TCP = "io.verbena.tcp..";
  private static final String MEM = "io.verbena.mem..";
  private static final String RDMA = "io.verbena.rdma..";
  private static final String SHM = "io.verbena.shm..";
  private static final String VERBS = "io.verbena.verbs..";
  private static final String TESTKIT = "io.verbena.testkit..";
  private static final String HTTP = "io.verbena.http..";
  private static final String GRPC = "io.verbena.grpc..";
  private static final String JUNIT = "io.verbena.junit..";
  private static final String SPRING = "io.verbena.spring..";
  private static final String SIMULATION = "io.verbena.simulation..";
  private static final String NETTY = "io.netty..";
  private static final String DISNI = "com.ibm.disni..";

  private static void check(ArchRule rule) {
    rule.check(Production.CLASSES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.verbena.api",
        "io.verbena.codec",
        "io.verbena.link",
        "io.verbena.link.memory",
        "io.verbena.link.runtime",
        "io.verbena.core",
        "io.verbena.arrow",
        "io.verbena.channel",
        "io.verbena.channel.zookeeper",
        "io.verbena.channel.kubernetes",
        "io.verbena.codegen",
        "io.verbena.codec.json",
        "io.verbena.codec.kryo",
        "io.verbena.compression",
        "io.verbena.observe",
        "io.verbena.observe.micrometer",
        "io.verbena.observe.opentelemetry",
        "io.verbena.grpc",
        "io.verbena.http",
        "io.verbena.mem",
        "io.verbena.junit",
        "io.verbena.tcp",
        "io.verbena.rdma",
        "io.verbena.shm",
        "io.verbena.verbs.ffm",
        "io.verbena.verbs.fabric",
        "io.verbena.simulation",
        "io.verbena.spring",
        "io.verbena.spring.autoconfigure"
      })
  void everyRoomIsLookedAt(String name) {
    assertThat(Production.CLASSES.containPackage(name)).isTrue();
  }

  @Test
  void aContractNeedsTheJdkAndTheApiAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage(API)
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(API, "java..", "org.jspecify..")
            .because("a contract's jar is shared between teams and must drag nothing along"));
  }

  @Test
  void theGeneratorKnowsOnlyTheApi() {
    check(
        noClasses()
            .that()
            .resideInAPackage(CODEGEN)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CODEC, LINK, CORE, MEM, TCP, RDMA, SHM, VERBS, TESTKIT)
            .because("generated code runs on any implementation of the API"));
  }

  @Test
  void theCodecByKryoKnowsOnlyTheApiAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(KRYO)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                CODEC, LINK, CORE, CODEGEN, MEM, TCP, RDMA, SHM, VERBS, TESTKIT, NETTY)
            .because("a contract's jar may bring it along"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(KRYO)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(KRYO, "com.esotericsoftware..")
            .because("who needs no Kryo has none on the class path"));
  }

  @Test
  void theCodecOfJsonKnowsTheApiAndTheCodecAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage(JSON)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LINK, CORE, CODEGEN, MEM, TCP, RDMA, SHM, VERBS, TESTKIT, NETTY)
            .because("the shell and the gateway for HTTP need it, and neither the other"));
  }

  @Test
  void compressionKnowsTheCodecAloneAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(COMPRESSION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LINK, CORE, CODEGEN, MEM, TCP, RDMA, SHM, VERBS, TESTKIT, NETTY)
            .because("it makes blocks, and knows no message"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(COMPRESSION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(COMPRESSION, "net.jpountz..")
            .because("who compresses nothing has no library for it"));
  }

  @Test
  void recordBatchesKnowTheApiAloneAndNobodyKnowsThem() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ARROW)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CODEC, LINK, CORE, CODEGEN, MEM, TCP, RDMA, VERBS, TESTKIT, NETTY)
            .because("a batch is an object like any other"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ARROW)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ARROW, "org.apache.arrow..")
            .because("who has no tables has no Arrow on the class path"));
  }

  @Test
  void theGatewayForHttpSeesTheServerFromOutsideAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(HTTP)
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.verbena..")
                    .and(
                        not(
                            resideInAnyPackage(
                                HTTP,
                                API,
                                JSON,
                                "io.verbena.link",
                                "io.verbena.link.memory",
                                RUNTIME,
                                "io.verbena.core",
                                "io.verbena.tcp"))))
            .because("another gateway may be written by anybody"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(HTTP, SPRING)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP, "io.netty.handler.codec.http..")
            .because(
                "who speaks no HTTP has nothing of it on the class path; Spring's starter may"));
  }

  @Test
  void theTransportOfGrpcSeesTheCoreFromOutsideAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(GRPC)
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.verbena..")
                    .and(
                        not(
                            resideInAnyPackage(
                                GRPC,
                                API,
                                "io.verbena.link",
                                RUNTIME,
                                "io.verbena.core",
                                "io.verbena.core.loop",
                                "io.verbena.tcp"))))
            .because("sessions may carry the calls of another system, too"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(GRPC, SPRING)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(GRPC, "io.grpc..")
            .because("who has no stubs of gRPC has nothing of it on the class path"));
  }

  @Test
  void observersKnowTheApiAndTheCoreAloneAndNobodyKnowsThem() {
    check(
        noClasses()
            .that()
            .resideInAPackage(OBSERVE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CODEGEN, KRYO, MEM, TCP, RDMA, SHM, VERBS, TESTKIT, NETTY)
            .because("they see what any user of the API sees"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(OBSERVE, SPRING)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(OBSERVE, "io.micrometer..", "io.opentelemetry..")
            .because("who observes by neither has neither on the class path"));
    check(
        noClasses()
            .that()
            .resideInAPackage(OBSERVE)
            .and()
            .haveNameNotMatching(".*\\.Channel(Metrics|Telemetry)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(CHANNEL)
            .because("who has no channel needs none to observe calls"));
  }

  @Test
  void noWayOfObservingDragsAnotherAlong() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.verbena.observe")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                CODEC,
                LINK,
                CORE,
                MICROMETER,
                OPENTELEMETRY,
                "io.micrometer..",
                "io.opentelemetry..")
            .because("names and access log need neither library"));
    check(
        noClasses()
            .that()
            .resideInAPackage(MICROMETER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(OPENTELEMETRY, "io.opentelemetry..")
            .because("each is of use without the other"));
    check(
        noClasses()
            .that()
            .resideInAPackage(OPENTELEMETRY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CODEC, LINK, CORE, MICROMETER, "io.micrometer..")
            .because("each is of use without the other"));
  }

  @Test
  void theCodecKnowsTheApiAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage(CODEC)
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(CODEC, API, "java..", "org.jspecify..")
            .because("bytes of values are read without sessions"));
  }

  @Test
  void linksAreWrittenAgainstASmallModule() {
    check(
        noClasses()
            .that()
            .resideInAPackage(LINK)
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.verbena..").and(not(resideInAnyPackage(LINK, CODEC, API))))
            .because("whoever writes a link needs no session"));
  }

  @Test
  void theCoreNamesNoLinkAndNoLinksLibrary() {
    check(
        noClasses()
            .that()
            .resideInAPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.verbena.channel..", MEM, TCP, RDMA, SHM, VERBS, CODEGEN, TESTKIT, NETTY, DISNI)
            .because("links are found by ServiceLoader, so that each can be left out"));
  }

  @Test
  void channelsSeeTheCoreFromOutside() {
    check(
        noClasses()
            .that()
            .resideInAPackage(CHANNEL)
            .should()
            .dependOnClassesThat(
                resideOutsideOfPackages(
                        CHANNEL,
                        API,
                        "io.verbena.core",
                        "java..",
                        "javax.management..",
                        "org.jspecify..",
                        "org.slf4j..")
                    // What is shared: a look for providers, clock and threads, what is open,
                    // futures that end when their memory is free.
                    .and(
                        not(
                            type(ProviderChoice.class)
                                .or(type(HostAndPort.class))
                                .or(resideInAPackage(RUNTIME))
                                .or(type(OpenOnes.class))
                                .or(type(FencedFuture.class)))))
            .because("what they need of a client, any program may use"));
  }

  @Test
  void registriesSeeChannelsFromOutsideAndNobodyKnowsThem() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(ZOOKEEPER, KUBERNETES)
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("io.verbena..")
                    .and(
                        not(
                            resideInAnyPackage(
                                    ZOOKEEPER, KUBERNETES, CHANNEL, API, "io.verbena.core")
                                // What is shared: addresses, the clock, and Verbena's own threads.
                                .or(type(HostAndPort.class))
                                .or(resideInAPackage(RUNTIME))
                                .or(type(SequentialExecutor.class)))))
            .because("each is a resolver as anybody may write one"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ZOOKEEPER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ZOOKEEPER, "org.apache.curator..", "org.apache.zookeeper..")
            .because("who has no ZooKeeper has nothing of it on the class path"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(KUBERNETES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(KUBERNETES, "io.fabric8..")
            .because("who has no Kubernetes has nothing of it on the class path"));
  }

  @Test
  void theUsersTestKitKnowsTheApiTheCoreAndTheInMemoryLinkAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(JUNIT)
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                JUNIT, API, LINK, CORE, MEM, "java..", "org.jspecify..", "org.junit.jupiter.api..")
            .because("users' tests drag nothing else along"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(JUNIT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(JUNIT)
            .because("what is shipped needs no JUnit"));
  }

  @Test
  void theStarterSeesOthersFromOutsideAndNobodyKnowsIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(SPRING)
            .should()
            .dependOnClassesThat(
                resideInAPackage("io.verbena..")
                    .and(
                        not(
                            resideInAnyPackage(
                                SPRING,
                                API,
                                CHANNEL,
                                OBSERVE,
                                "io.verbena.grpc",
                                "io.verbena.http",
                                "io.verbena.rdma",
                                "io.verbena.core",
                                "io.verbena.link"))))
            .because("what it sets up, any program may set up"));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(SPRING)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SPRING, "org.springframework..")
            .because("who has no Spring has none on the class path"));
  }

  @Test
  void theTcpLinkNamesNoOther() {
    namesNoOtherLink(TCP, MEM, RDMA, SHM, VERBS, DISNI, CORE);
  }

  @Test
  void theRdmaLinkNamesNoOther() {
    namesNoOtherLink(RDMA, MEM, TCP, SHM, NETTY, CORE);
  }

  @Test
  void theInMemoryLinkNamesNoOther() {
    namesNoOtherLink(MEM, TCP, RDMA, SHM, VERBS, NETTY, DISNI, CORE);
  }

  @Test
  void theSharedMemoryLinkNamesNoOther() {
    namesNoOtherLink(SHM, MEM, TCP, RDMA, VERBS, NETTY, DISNI, CORE);
  }

  private static void namesNoOtherLink(String link, String... others) {
    check(
        noClasses()
            .that()
            .resideInAPackage(link)
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(others).or(resideInAnyPackage(TESTKIT, CODEGEN)))
            .because("a session joins links; links know nothing of one another"));
  }

  @Test
  void verbsProvidersServeAnyDisniProgram() {
    check(
        noClasses()
            .that()
            .resideInAPackage(VERBS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                API, CODEC, LINK, CORE, MEM, TCP, RDMA, SHM, CODEGEN, TESTKIT, NETTY)
            .because("a provider is useful without Verbena's calls"));
  }

  @Test
  void nothingThatIsShippedKnowsOfTheSimulation() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(SIMULATION)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(SIMULATION)
            .because("what is tested has no hooks for its test"));
  }

  @Test
  void theSimulationSeesLinksFromOutside() {
    check(
        noClasses()
            .that()
            .resideInAPackage(SIMULATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                TCP,
                TESTKIT,
                MEM,
                NETTY,
                "io.verbena.core.session..",
                "io.verbena.core.contract..",
                "io.verbena.core.call..",
                "io.verbena.core.stream..",
                "io.verbena.core.region..",
                "io.verbena.core.intercept..",
                "io.verbena.core.user..",
                "io.verbena.rdma.link..",
                "io.verbena.rdma.cm..",
                "io.verbena.rdma.device..")
            .because("it outlives what is behind the public API and the link seam"));
  }

  @Test
  void aSessionIsAPipeThatKnowsNothingOfWhatLiesOnIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.verbena.core.session..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.verbena.core.contract..",
                "io.verbena.core.call..",
                "io.verbena.core.stream..",
                "io.verbena.core.region..",
                "io.verbena.core.intercept..",
                "io.verbena.core.user..",
                "io.verbena.core.transfer..")
            .because("all that lies on it takes part by one interface, Participant"));
    check(
        noClasses()
            .that()
            .resideInAPackage("io.verbena.core.call..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.verbena.core.stream..",
                "io.verbena.core.region..",
                "io.verbena.core.intercept..")
            .because("streams, regions and interceptors are made of calls"));
  }

  /** Once with each room and all within it as one, and once with each of them by itself. */
  @ParameterizedTest
  @ValueSource(strings = {"io.verbena.core.(*)..", "io.verbena.core.(**)"})
  void theRoomsOfTheCoreDoNotGoInCircles(String rooms) {
    check(
        slices()
            .matching(rooms)
            .should()
            .beFreeOfCycles()
            .because("each room can then be read, and tested, before the next"));
  }
}
