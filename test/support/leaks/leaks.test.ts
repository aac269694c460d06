import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { ServiceApiError } from "../../../src/errors/base.ts";
import { callFetch } from "../../../src/transport/fetch.ts";
import { createReporter } from "../../../src/transport/log.ts";
import config from "../../../vitest.config.ts";
import { secret } from "../secrets.ts";
import { allowLeaks, failForLeaks, takeLeaks, watchConsole, watchOutput, watchText } from "./found.ts";

const address = "traveller1@example.in";
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Each way in which a program may spell what it must not show. */
const forms: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64,
  "base64 of more": (value) => base64(`client:${value};`),
  "base64 of more, one byte on": (value) => base64(`client-:${value};`),
  base64url: (value) => Buffer.from(`${value}~~`).toString("base64url"),
  hex: (value) => Buffer.from(value).toString("hex"),
  HEX: (value) => Buffer.from(value).toString("hex").toUpperCase(),
  "a printed Buffer": (value) => JSON.stringify(Buffer.from(value)),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (value) =>
    encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  "a form": (value) => new URLSearchParams({ value }).toString(),
  JSON: (value) => JSON.stringify({ value }),
  "escaped JSON": (value) => JSON.stringify({ value }).replaceAll("/", "\\/"),
};

class WithGetter extends ServiceApiError {
  readonly #text: string;

  constructor(text: string) {
    super("configuration", { message: "odd" });
    this.#text = text;
  }

  get inherited(): string {
    return this.#text;
  }
}

const failure = (fields: object = {}, cause?: unknown) =>
  Object.assign(new ServiceApiError("configuration", { message: "odd", cause }), fields);
const hidden = (value: unknown) => Object.defineProperty(failure(), "body", { value, enumerable: false });
const nested = (text: string) => Array.from({ length: 30 }).reduce<object>((inner) => ({ inner }), { text });
const reporter = () => createReporter({}, "test.made", undefined, []);

/** Each place where a program may leave it. */
const errorChannels: Readonly<Record<string, (text: string) => unknown>> = {
  "a message": (text) => new ServiceApiError("configuration", { message: text }),
  "a stack": (text) => failure({ stack: text }),
  "a cause": (text) => failure({}, new Error(text)),
  "the cause of a cause": (text) => failure({}, new Error("odd", { cause: new Error(text) })),
  "a field, 30 levels down": (text) => failure({ field: nested(text) }),
  "the name of a field": (text) => failure({ [text]: 1 }),
  "a long list": (text) => failure({ list: [...Array.from({ length: 500 }, () => ""), text] }),
  "a long string": (text) => failure({ field: "x".repeat(20_000) + text }),
  "a getter of its own": (text) => Object.defineProperty(failure(), "field", { get: () => text, enumerable: true }),
  "what it prints": (text) => failure({ [Symbol.for("nodejs.util.inspect.custom")]: () => text }),
  JSON: (text) => failure({ toJSON: () => ({ text }) }),
};
const channels: typeof errorChannels = {
  ...errorChannels,
  "an event": (requestId) =>
    reporter()?.report({ type: "response", attempt: 1, httpStatus: 200, duration: 1, requestId }),
  "a log line": (text) => reporter()?.report({ type: "drift", paths: [text] }),
  "a URL": (text) =>
    callFetch(`https://a.example/?${text}`, { body: "" }, { fetch: async () => new Response(), retry: "safe" }),
  "the console": (text) => watchConsole({ info: (..._line: unknown[]) => {} }).info("%s", { text }),
  "an object on the console": (text) => watchConsole({ dir: (..._line: unknown[]) => {} }).dir({ text }),
  "a command": (text) => watchText("standard output", text),
};
/** The bodies of the service are there to be read, people included; secrets are replaced. */
const secretChannels: typeof errorChannels = {
  ...channels,
  "the body of an error": (text) => hidden({ data: [{ text }] }),
  "the headers of an error": (text) => hidden(new Headers({ "x-echo": text })),
  "the bytes of an error": (text) => hidden(Buffer.from(text.repeat(9))),
  "an inherited getter": (text) => new WithGetter(text),
  "a symbol": (text) => failure({ [Symbol("odd")]: text }),
  "a map": (text) => hidden(new Map([["a", new Set([text])]])),
};

const matrix = (all: typeof errorChannels) =>
  Object.keys(all).flatMap((channel) => Object.keys(forms).map((form) => ({ channel, form })));

describe("the watch over the whole run sees", () => {
  it.each(matrix(secretChannels))("a secret in $channel, as $form", ({ channel, form }) => {
    secretChannels[channel]?.(forms[form]?.(secret) ?? "");
    expect(takeLeaks()).toContainEqual(expect.objectContaining({ kind: "a secret" }));
  });

  it.each(matrix(channels))("personal data in $channel, as $form", ({ channel, form }) => {
    channels[channel]?.(forms[form]?.(address) ?? "");
    expect(takeLeaks()).toContainEqual(expect.objectContaining({ kind: "personal data" }));
  });

  it("the credentials that a client passes on, whatever they are", () => {
    createReporter({}, "test.made", undefined, ["a-credential-of-this-test"]);
    failure({ field: "a-credential-of-this-test" });
    expect(takeLeaks()).not.toEqual([]);
  });

  it("a secret in the output of a command, also in two parts, and leaves the output to its reader", async () => {
    const [first, second] = [secret.slice(0, 9), secret.slice(9)];
    const program = `process.stderr.write("${first}", () => setTimeout(() => process.stderr.write("${second}"), 50))`;
    const child = spawn(process.execPath, ["-e", program]);
    watchOutput(child);
    const [output] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect(output).toBe(secret);
    expect(takeLeaks()).not.toEqual([]);
  });

  it.each(["stdout", "stderr"] as const)("a secret in what is written to %s", (name) => {
    process[name].write(`${secret}\n`);
    expect(takeLeaks()).toContainEqual(expect.objectContaining({ kind: "a secret" }));
  });

  it("a part of a secret, as in a message that was cut", () => {
    failure({ start: `x${secret.slice(0, 14)}` });
    expect(takeLeaks()).not.toEqual([]);
    failure({ end: `${secret.slice(-14)}x` });
    expect(takeLeaks()).not.toEqual([]);
  });

  it("a secret in a warning of the process", async () => {
    const warned = once(process, "warning");
    process.emitWarning(`odd: ${secret}`);
    await warned;
    expect(takeLeaks()).toContainEqual(expect.objectContaining({ where: "a warning of the process" }));
  });

  it("a body in the log that was not masked, also if personal data was asked for", () => {
    reporter()?.body({ status: `${secret} of traveller1@example.in` });
    expect(takeLeaks().map(({ kind, where }) => `${kind} in ${where}`)).toEqual(
      expect.arrayContaining(["a secret in a log line"]),
    );
  });

  it("no leak in what only looks like one", () => {
    failure({ duration: 0.6000000001, reference: "traveller10@example.in", words: "a secret", list: [115, 51] });
    expect(takeLeaks()).toEqual([]);
  });

  it.each([
    ["ARUN", "an ARUN of", 1],
    ["ARUN", "TARUN", 0],
    ["6000000001", "+916000000001", 1],
    ["6000000001", "0.356000000001", 0],
  ])("%s in %j: %i", (_value, text, count) => {
    watchText("a text", text);
    expect(takeLeaks()).toHaveLength(count);
  });
});

describe("a leak", () => {
  const fault = () => Object.assign(new WithGetter("odd"), { field: address });

  it("fails the test in whose time it occurs: every test has the hook", () => {
    expect(config.test?.setupFiles).toContain("test/support/leaks/watch.ts");
    failure({ field: secret });
    expect(failForLeaks).toThrow(/^a secret \(plain\) in what inspect shows of ServiceApiError, after /);
    expect(failForLeaks).not.toThrow();
  });

  it("does not if the test allows it, in that place and in that test", () => {
    allowLeaks("personal data", /WithGetter/, "the test shows a person");
    fault();
    expect(failForLeaks).not.toThrow();
    fault();
    expect(failForLeaks).toThrow("personal data");
  });

  it("does in another place than the test allows, and if it is a secret", () => {
    for (const field of [address, secret]) {
      allowLeaks("personal data", field === secret ? /ServiceApiError/ : /WithGetter/, "the test shows a person");
      failure({ field });
      expect(failForLeaks).toThrow(/in what inspect shows of ServiceApiError/);
    }
  });
});
