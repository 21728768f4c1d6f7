/**
 * How Verbena is lived with: real processes, clocks and sockets; sessions that idle, deadlines
 * below a second, slow lines, peers that stop, are killed, restart or misbehave, handlers'
 * executors that are full. Bounds are generous: they catch what hangs or is lost, not what is slow.
 * The whole takes at most a minute, so each test a second or two; who needs a JVM of its own shares
 * it.
 */
package io.verbena.it.lived;
