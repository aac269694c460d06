/** What is told that its reader was dropped. */
interface Left {
  leave(): void;
}

let readers: FinalizationRegistry<Left> | undefined;

/**
 * Leaves a stream whose reader was dropped without `return` or `cancel`, once it has been collected as garbage: nobody can
 * read on, and the connection would stay open for as long as the service keeps it.
 *
 * @param reading - The stream. It must not hold its reader, except while that waits for an event.
 */
export function leaveWhenDropped(reader: object, reading: Left): void {
  // Not on every runtime: workerd without its compatibility flag.
  if (typeof FinalizationRegistry === "undefined") return;
  readers ??= new FinalizationRegistry((dropped) => dropped.leave());
  readers.register(reader, reading, reading);
}

/** Forgets a stream that has ended, so that its text does not have to wait for the collector. */
export function forgetReader(reading: Left): void {
  readers?.unregister(reading);
}
