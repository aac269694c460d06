import { onTestFinished } from "vitest";

/** Returns the rejections that nobody handles from now on, until the test has ended. */
export function watchUnhandled(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => unhandled.push(reason));
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  });
  return unhandled;
}
