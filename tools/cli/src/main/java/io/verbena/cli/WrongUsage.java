package io.verbena.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Prints the reason why a command line is wrong, and a hint at {@code --help}. The whole help would
 * push the reason off the screen.
 */
public final class WrongUsage implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException failure, String[] words) {
    CommandLine command = failure.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + failure.getMessage());
    UnmatchedArgumentException.printSuggestions(failure, err);
    err.println("'" + name + " --help' shows the usage");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
