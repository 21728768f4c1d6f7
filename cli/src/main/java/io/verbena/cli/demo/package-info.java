/**
 * The demonstration: a server and a client in two processes make every kind of call. {@link
 * io.verbena.cli.demo.DemoCommand} is the client's process and starts the server's; each step
 * checks what it shows.
 */
@NullMarked
package io.verbena.cli.demo;

import org.jspecify.annotations.NullMarked;
