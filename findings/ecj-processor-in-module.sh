#!/usr/bin/env bash
# Eclipse's compiler 3.44 (ecj): in a named module, a source file that an annotation processor generates does not see the classes of its own package.
# Without module-info.java the same sources compile, and javac compiles both.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=org.eclipse.jdt:ecj:3.44.0" "-DoutputDirectory=$work"
mkdir -p "$work/src/shop" "$work/processor"
echo 'package shop; public class Plain {}' >"$work/src/shop/Plain.java"
echo 'module shop { exports shop; }' >"$work/src/module-info.java"
cat >"$work/Maker.java" <<'JAVA'
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;

@SupportedAnnotationTypes("*")
public class Maker extends AbstractProcessor {
  private boolean done;

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latest();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    if (!done) {
      done = true;
      try (Writer file = processingEnv.getFiler().createSourceFile("shop.Made").openWriter()) {
        file.write("package shop; class Made { Plain plain; }");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return false;
  }
}
JAVA
"$JAVA_HOME/bin/javac" -d "$work/processor" "$work/Maker.java"
compile() { # NAME COMPILER... -- SOURCE...
  local name=$1 out; shift
  out=$(mktemp -d -p "$work")
  local command=()
  while [ "$1" != -- ]; do command+=("$1"); shift; done
  shift
  if "${command[@]}" -d "$out" -s "$out" -processorpath "$work/processor" -processor Maker "$@" >"$out/log" 2>&1; then
    echo "$name: compiled"
  else
    echo "$name: $(grep -o 'Plain cannot be resolved to a type' "$out/log" | head -1)"
  fi
}
ecj=("$JAVA_HOME/bin/java" -jar "$work/ecj-3.44.0.jar" -25)
seen=$(
  compile "ecj, no module" "${ecj[@]}" -- "$work/src/shop/Plain.java"
  compile "ecj, module" "${ecj[@]}" -- "$work/src/module-info.java" "$work/src/shop/Plain.java"
  compile "javac, module" "$JAVA_HOME/bin/javac" -- "$work/src/module-info.java" "$work/src/shop/Plain.java"
)
echo "$seen"
[ "$seen" = "ecj, no module: compiled
ecj, module: Plain cannot be resolved to a type
javac, module: compiled" ] || { echo "this has changed" >&2; exit 1; }
