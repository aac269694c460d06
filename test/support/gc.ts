import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs the garbage collector, whether or not Node was started with `--expose-gc`. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) {
    setFlagsFromString("--expose-gc");
    globalThis.gc = runInNewContext("gc") as NodeJS.GCFunction;
  }
  globalThis.gc?.();
}
