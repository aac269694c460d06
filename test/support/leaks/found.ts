/** The findings of the current test, for the watch over the run (watch.ts). The files of one process share it. */
import type { ChildProcess } from "node:child_process";
import { format } from "node:util";
import type { Kind } from "./finder.ts";
import { forgetSecrets, known } from "./known.ts";
import { type Leak, leaksInError, leaksInText, type Scope } from "./scan.ts";

const leaks: Leak[] = [];
const errors: Error[] = [];
/** The kind and the place of what the current test may show. */
let allowed: { readonly kind: Kind; readonly where: RegExp } | undefined;

/** Lets the current test show something of the kind in one place, for a reason. */
export function allowLeaks(kind: Kind, where: RegExp, _reason: string): void {
  allowed = { kind, where };
}

/** Returns the leaks of the current test so far, and forgets them. */
export function takeLeaks(): readonly Leak[] {
  scanErrors(errors.length);
  return leaks.splice(0);
}

/** Looks for leaks in output of the library. */
export function watchText(where: string, text: string, scope?: Scope): void {
  leaks.push(...leaksInText(known(), where, text, scope));
}

/** Longer than any spelling: it may be split between two parts of the output. */
const maxSpelling = 512;

/** Looks for secrets in what a command writes; the people whom it shows were asked for. */
export function watchOutput(child: Pick<ChildProcess, "stdout" | "stderr">): void {
  for (const stream of [child.stdout, child.stderr]) {
    let tail = "";
    stream?.on("data", (part: Buffer | string) => {
      const text = tail + String(part);
      watchText("the output of a command", text, "secrets");
      tail = text.slice(-maxSpelling);
    });
  }
}

/** Fails the current test if it let anything out that it does not allow. */
export function failForLeaks(): void {
  const found = takeLeaks().filter(({ kind, where }) => kind !== allowed?.kind || !allowed.where.test(where));
  allowed = undefined;
  const lines = found.map(
    ({ kind, where, form, before }) => `${kind} (${form}) in ${where}, after ${JSON.stringify(before)}`,
  );
  if (lines.length > 0) throw new Error([...new Set(lines)].join("\n"));
}

/** An error is whole once the next ones are created; thousands of them would fill the memory of a test. */
const maxErrors = 64;

/** Scans each error of a class of the library, whose own classes extend `base`. */
export function watchErrors(base: abstract new (...args: never[]) => Error): void {
  class Watched extends Error {
    constructor(message?: string, options?: ErrorOptions) {
      super(message, options);
      errors.push(this);
      if (errors.length > 2 * maxErrors) scanErrors(maxErrors);
    }
  }
  // `super()` calls the prototype of the class, whatever it is by then.
  Object.setPrototypeOf(base, Watched);
}

/** The slowest print is made for the first error of each class in a file; the fields of all are read. */
const seenClasses = new Set<unknown>();

function scanErrors(count: number): void {
  for (const error of errors.splice(0, count)) {
    leaks.push(...leaksInError(known(), error, !seenClasses.has(error.constructor)));
    seenClasses.add(error.constructor);
  }
}

/** Forgets what the test file taught the watch: its credentials, and which errors it has printed. */
export function forgetFile(): void {
  forgetSecrets();
  seenClasses.clear();
}

/** Replaces the methods of a console with ones that look for leaks first. */
export function watchConsole<Methods extends Partial<Pick<Console, (typeof levels)[number]>>>(
  target: Methods,
): Methods {
  for (const level of levels) {
    const write = target[level]?.bind(target);
    if (write === undefined) continue;
    target[level] = (...args: unknown[]) => {
      watchText(`console.${level}`, format(...args));
      write(...args);
    };
  }
  return target;
}

const levels = ["debug", "dir", "error", "info", "log", "trace", "warn"] as const;

/** Looks for secrets in what is written to a standard stream, other than by the console. */
function watchStream(name: "stdout" | "stderr"): void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (part: string | Uint8Array, ...rest: never[]) => {
    watchText(name, typeof part === "string" ? part : Buffer.from(part).toString(), "secrets");
    return write(part, ...rest);
  };
}

// Once in each process, which may run many files.
watchConsole(console);
watchStream("stdout");
watchStream("stderr");
process.on("warning", ({ message }) => watchText("a warning of the process", message));
