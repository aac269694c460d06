import { onTestFinished } from "vitest";

/** Returns a promise, and the function that resolves it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}

/** Returns a promise that stays pending while the test runs. What waits for it then ends, and leaves nothing behind. */
export function untilTestEnds(): Promise<never> {
  const { opened, open } = gate<never>();
  onTestFinished(() => open(undefined as never));
  return opened;
}
