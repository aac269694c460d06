/** A stream that can be left by its reader. */
interface Readable {
  leave(): unknown;
}

let readers: FinalizationRegistry<Readable> | undefined;

/**
 * Leaves a stream when its reader, dropped without `return` or `cancel`, has been collected as garbage: nobody can read
 * on, and the connection would stay open for as long as the service keeps it.
 *
 * @param stream - The stream. It must not hold its reader, except while that waits for an event.
 */
export function leaveWhenDropped(reader: object, stream: Readable): void {
  // Not on every runtime: workerd without its compatibility flag.
  if (typeof FinalizationRegistry === "undefined") return;
  readers ??= new FinalizationRegistry((dropped) => dropped.leave());
  readers.register(reader, stream, stream);
}

/** Forgets a stream that has ended, so that its text does not have to wait for the collector. */
export function forgetReader(stream: Readable): void {
  readers?.unregister(stream);
}
