/**
 * Watches every test of the run for leaks (set up by vitest.config.ts): each error of the library, its log at the most
 * verbose level, its events, the URLs that it requests, and the console. A leak fails the test in whose time it occurs.
 */
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { failForLeaks, forgetFile, watchErrors, watchText } from "./found.ts";
import { endLoading, known, learnSecret } from "./known.ts";
import { printed } from "./scan.ts";

beforeAll(endLoading);
afterEach(failForLeaks);
// For output and errors after the last test.
afterAll(() => {
  try {
    failForLeaks();
  } finally {
    forgetFile();
  }
});

vi.mock("../../../src/errors/base.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/errors/base.ts")>();
  watchErrors(module.ServiceApiError);
  return module;
});

vi.mock("../../../src/transport/log.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/transport/log.ts")>();
  type Create = typeof module.createReporter;
  const watching = (logPersonalData: boolean): Parameters<Create>[0] => {
    const scope = logPersonalData ? "secrets" : "everything";
    const write = (message: string, fields?: object) =>
      watchText("a log line", `${message} ${JSON.stringify(fields)}`, scope);
    const logger = { error: write, warn: write, info: write, debug: write };
    return {
      log: { logger, level: "debug", personalData: logPersonalData },
      onEvent: (event) => watchText("an event", JSON.stringify(event)),
    };
  };
  const createReporter: Create = (options, operation, reference, given, startedAt) => {
    for (const secret of given) learnSecret(secret);
    const create = (each: Parameters<Create>[0]) => module.createReporter(each, operation, reference, given, startedAt);
    const [own, masked, unmasked] = [create(options), create(watching(false)), create(watching(true))];
    return {
      report(event) {
        own?.report(event);
        masked?.report(event);
      },
      request(attempt, request) {
        own?.request(attempt, request);
        if (holdsKnown(request.body)) for (const reporter of [masked, unmasked]) reporter?.request(attempt, request);
      },
      body(body) {
        own?.body(body);
        if (holdsKnown(body)) for (const reporter of [masked, unmasked]) reporter?.body(body);
      },
      failed(error) {
        own?.failed(error);
        masked?.failed(error);
      },
    };
  };
  return { ...module, createReporter };
});

vi.mock("../../../src/transport/fetch.ts", async (importOriginal) => {
  const module = await importOriginal<typeof import("../../../src/transport/fetch.ts")>();
  const callFetch: typeof module.callFetch = (url, init, how) => {
    watchText("a URL", url);
    watchText("the body of a request", init.body, "secrets");
    return module.callFetch(url, init, how);
  };
  return { ...module, callFetch };
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

/** A body without any known value leaves none in the log, and quotes are long. */
function holdsKnown(body: unknown): boolean {
  return known().find(printed(() => JSON.stringify(body))).length > 0;
}
