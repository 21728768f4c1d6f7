#!/usr/bin/env bash
# Spark 4.2.0: PluginContext.hostname(), "the host name which is being used by the Spark process for communication", answers on the driver
# and throws NullPointerException on every executor, whose RPC environment listens at no address. A plugin for executors that asks for its
# host works in local mode, and ends each executor of a cluster.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
spark=4.2.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/pom.xml" <<XML
<project><modelVersion>4.0.0</modelVersion><groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
<dependencies><dependency><groupId>org.apache.spark</groupId><artifactId>spark-core_2.13</artifactId><version>$spark</version></dependency></dependencies></project>
XML
mvn -B -q -ntp -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies "-DoutputDirectory=$work/home/jars" -DincludeScope=runtime
cat >"$work/Hosts.java" <<'JAVA'
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

public class Hosts implements SparkPlugin {
  static final ConcurrentLinkedQueue<String> ANSWERS = new ConcurrentLinkedQueue<>();

  static String ask(PluginContext context) {
    try {
      String host = context.hostname();
      return host.isEmpty() ? "is empty" : "answers";
    } catch (RuntimeException e) {
      return "throws " + e.getClass().getSimpleName();
    }
  }

  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      public Map<String, String> init(SparkContext spark, PluginContext context) {
        ANSWERS.add("on the driver hostname() " + ask(context));
        return Map.of();
      }

      public Object receive(Object message) {
        ANSWERS.add(message.toString());
        return "heard";
      }
    };
  }

  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      public void init(PluginContext context, Map<String, String> extra) {
        try {
          context.ask("on an executor hostname() " + ask(context));
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }

  public static void main(String[] arguments) throws Exception {
    SparkConf conf = new SparkConf().setAppName("hosts").set("spark.plugins", "Hosts").set("spark.ui.enabled", "false")
        .setMaster("local-cluster[2,1,1024]").set("spark.executor.extraClassPath", arguments[0]);
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      for (int i = 0; i < 1200 && ANSWERS.size() < 3; i++) {
        Thread.sleep(100);
      }
      ANSWERS.stream().sorted().forEach(System.out::println);
    }
    System.exit(0);
  }
}
JAVA
"$JAVA_HOME/bin/javac" -proc:none -d "$work" -cp "$work/home/jars/*" "$work/Hosts.java" 2>/dev/null
opens=()
for package in java.lang java.lang.invoke java.nio java.util sun.nio.ch; do opens+=("--add-opens=java.base/$package=ALL-UNNAMED"); done
seen=$(cd "$work" && SPARK_HOME="$work/home" SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1 \
  "$JAVA_HOME/bin/java" "${opens[@]}" -cp "$work:$work/home/jars/*" Hosts "$work" 2>/dev/null)
echo "Spark $spark, $("$JAVA_HOME/bin/java" --version | head -1), local-cluster[2,1,1024]"
echo "$seen"
[[ $seen == "on an executor hostname() throws NullPointerException"*"on an executor hostname() throws NullPointerException"*"on the driver hostname() answers" ]] \
  || { echo "CHANGED"; exit 1; }
