package io.verbena.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Says what is wrong with the words of a command, and where its options stand: all of them would
 * push that off the screen.
 */
public final class WrongUsage implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException failure, String[] words) {
    CommandLine command = failure.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + failure.getMessage());
    UnmatchedArgumentException.printSuggestions(failure, err);
    err.println("'" + name + " --help' tells how it is used");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
