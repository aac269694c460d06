import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type CallSiteObject, getCallSites } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A call, as the functions that led to it. Unlike an `Error`, it holds none of their objects, which may be collected. */
export type Trace = readonly CallSiteObject[];

/** Returns who called the function that calls this, and who called that. */
export function traceCall(): Trace {
  return getCallSites(6).slice(2);
}

interface Place {
  readonly file: string;
  readonly words: string;
}

/** Each is looked up again after every test for as long as its timer runs or its signal has listeners. */
const places = new WeakMap<Trace, Place | undefined>();

/** Returns the first function of the project in a trace, as `pause in src/emulator/http/wait.ts`. */
export function placeOf(trace: Trace = []): Place | undefined {
  if (!places.has(trace)) places.set(trace, findPlace(trace));
  return places.get(trace);
}

function findPlace(trace: Trace): Place | undefined {
  for (const { scriptName, functionName } of trace) {
    const path = scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
    const file = relative(root, path).replaceAll("\\", "/");
    const isOurs = /^(?:src|test|examples|scripts|bench|dist)\//.test(file) && !file.includes("node_modules/");
    if (isOurs) return { file, words: [functionName, file].filter((word) => word !== "").join(" in ") };
  }
  return undefined;
}
