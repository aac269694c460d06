/** Those that were there at first: what a package or Vitest adds is its own. */
const names = Object.getOwnPropertyNames(globalThis);

/** Returns the global functions as they are now: a spy, or a fake clock, that a test leaves is another one. */
export function globalFunctions(): ReadonlyMap<object, string> {
  const found = new Map<object, string>();
  for (const name of names) {
    // Without the call of a getter.
    const value: unknown = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
    if (typeof value === "function") found.set(value, `a replaced ${name}`);
  }
  return found.set(Date.now, "a replaced Date.now").set(Math.random, "a replaced Math.random");
}
