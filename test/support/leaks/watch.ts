/**
 * Watches every test of the run for leaks (set up by vitest.config.ts): each error of the library, its log at the most
 * verbose level, its events, the URLs that it requests, and the console. A leak fails the test in whose time it occurs.
 */
import type { ChildProcess } from "node:child_process";
import { format } from "node:util";
import { afterAll, afterEach, vi } from "vitest";
import type { Kind } from "./finder.ts";
import { known, learnSecret } from "./known.ts";
import { type Leak, leaksInError, leaksInText, printed, type Scope } from "./scan.ts";

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
  leaks.push(...leaksInText(where, text, scope));
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

afterEach(failForLeaks);
// For output and errors after the last test.
afterAll(failForLeaks);

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

function watchErrors(base: abstract new (...args: never[]) => Error): void {
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
    leaks.push(...leaksInError(error, !seenClasses.has(error.constructor)));
    seenClasses.add(error.constructor);
  }
}

vi.mock("../../../src/errors/base.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/errors/base.ts")>();
  watchErrors(module.ServiceApiError);
  return module;
});

/** A body without any known value leaves none in the log, and quotes are long. */
function holdsKnown(body: unknown): boolean {
  return known().find(printed(() => JSON.stringify(body))).length > 0;
}

vi.mock("../../../src/transport/log.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/transport/log.ts")>();
  type Create = typeof module.createReporter;
  const watching = (logPersonalData: boolean): Parameters<Create>[0] => {
    const scope = logPersonalData ? "secrets" : "everything";
    const write = (message: string, fields?: object) =>
      watchText("a log line", `${message} ${JSON.stringify(fields)}`, scope);
    const logger = { error: write, warn: write, info: write, debug: write };
    return {
      logger,
      logLevel: "debug",
      logPersonalData,
      onEvent: (event) => watchText("an event", JSON.stringify(event)),
    };
  };
  const createReporter: Create = (options, operation, reference, given, startedAt) => {
    for (const secret of given) learnSecret(secret);
    const create = (each: Parameters<Create>[0]) => module.createReporter(each, operation, reference, given, startedAt);
    const [own, masked, unmasked] = [create(options), create(watching(false)), create(watching(true))];
    return {
      report(event) {
        own.report(event);
        masked.report(event);
      },
      request(attempt, json, body) {
        own.request(attempt, json, body);
        if (holdsKnown(body)) for (const reporter of [masked, unmasked]) reporter.request(attempt, json, body);
      },
      body(body) {
        own.body(body);
        if (holdsKnown(body)) for (const reporter of [masked, unmasked]) reporter.body(body);
      },
      failed(error) {
        own.failed(error);
        masked.failed(error);
      },
    };
  };
  return { ...module, createReporter };
});

vi.mock("../../../src/transport/runtime-fetch.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/transport/runtime-fetch.ts")>();
  const createSendOnce: typeof module.createSendOnce = (custom, retry) => {
    const send = module.createSendOnce(custom, retry);
    return (url, init) => {
      watchText("a URL", url);
      watchText("the body of a request", init.body, "secrets");
      return send(url, init);
    };
  };
  return { ...module, createSendOnce };
});

vi.mock("../../../src/webhooks/auth/mac.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/webhooks/auth/mac.ts")>();
  const createMac: typeof module.createMac = (secret) => {
    const text = new TextDecoder().decode(secret);
    // The rest are random bytes.
    if (/^[\x20-\x7e]+$/.test(text)) learnSecret(text);
    return module.createMac(secret);
  };
  return { ...module, createMac };
});

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

const levels = ["debug", "error", "info", "log", "trace", "warn"] as const;
watchConsole(console);
