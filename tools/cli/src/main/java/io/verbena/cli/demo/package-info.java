/**
 * The demonstration. A client and a server in two processes make every kind of call. {@link
 * io.verbena.cli.demo.DemoCommand} runs in the client's process and starts the server's process.
 * Each step checks its results.
 */
@NullMarked
package io.verbena.cli.demo;

import org.jspecify.annotations.NullMarked;
