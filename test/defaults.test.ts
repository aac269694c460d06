import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createResponse, streamResponse } from "../src/ai/operations.ts";
import { defaultSessionLifetime, defaults, operationDefaults } from "../src/defaults.ts";
import { book, fareQuote, fareRule } from "../src/flights/operations.ts";
import { findVpas } from "../src/verification/operations.ts";
import { read } from "./docs/blocks.ts";

const source = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8");

/** The `@default` tags of an interface, by option. */
function tagsOf(path: string, name: string): Record<string, string> {
  const [, body = ""] = new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(source(path)) ?? [];
  const options = body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g);
  return Object.fromEntries(
    [...options].flatMap(([, comment = "", option = ""]) => {
      const tag = /@default ([^\n]*)/.exec(comment)?.[1]?.trim();
      return tag === undefined ? [] : [[option, tag]];
    }),
  );
}

const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, "_");
const inWords = (duration: number | false) =>
  duration === false
    ? "`false`"
    : duration < 1_000
      ? `${duration} ms`
      : duration % 60_000 === 0 && duration > 180_000
        ? `${duration / 60_000} min`
        : `${duration / 1_000} s`;
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const { first, max } = defaults.retryDelay;

/** The text of a `@default` tag whose default is written differently from the code. */
const written: { readonly [Name in keyof typeof defaults]?: string } = {
  totalTimeout: `${grouped(defaults.totalTimeout)} (streams: false)`,
  timeout: `${[findVpas, fareQuote, createResponse, book]
    .map(({ timeout }) => grouped(timeout))
    .join(", ")
    .replace(/, (?=\d+_\d+$)/, " or ")} by operation (docs/assumptions.md, D1)`,
  retryDelay: `${inWords(first)} doubled each time up to ${inWords(max)}, with full jitter`,
  maxResponseBytes: mebibytes(defaults.maxResponseBytes),
  maxEventBytes: mebibytes(defaults.maxEventBytes),
  pathPrefixes: `\`{ verification: "", ai: "${defaults.pathPrefixes.ai}", flights: "" }\``,
  validation: `\`{ request: "${defaults.validation.request}", response: "${defaults.validation.response}" }\``,
};

function format(value: unknown): string {
  if (typeof value === "number") return grouped(value);
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
}

describe("the defaults of the options", () => {
  const tags = tagsOf("options.ts", "ClientOptions");

  it.each(Object.entries(defaults))("%s is the one that its doc comment names", (name, value) => {
    expect(tags[name]).toBe(written[name as keyof typeof defaults] ?? format(value));
  });

  it("no other option has a default in its doc comment that is not in the table", () => {
    const decidedAtRunTime = [
      "baseUrl",
      "clientId",
      "clientSecret",
      "fetch",
      "userAgent",
      "createReference",
      "logger",
      "logLevel",
    ];
    const others = Object.keys(tags).filter((name) => !Object.hasOwn(defaults, name));
    expect(others.sort()).toEqual(decidedAtRunTime.sort());
  });

  it("the fields of `validation` have the same", () => {
    const { request, response } = defaults.validation;
    expect(tagsOf("options.ts", "ValidationOptions")).toEqual({ request: format(request), response: format(response) });
  });

  it("the lifetime of a search session is the same for a checkout and the emulator", () => {
    const tag = (path: string, name: string) => tagsOf(path, name).sessionLifetime?.replace(/ \(.*$/, "");
    expect(tag("flights/checkout/types.ts", "CheckoutOptions")).toBe(format(defaultSessionLifetime));
    expect(tag("emulator/options.ts", "EmulatorOptions")).toBe(format(defaultSessionLifetime));
  });

  it("those of defineOperation are the ones that its doc comments name", () => {
    const tags = tagsOf("operation.ts", "OperationDefinition");
    expect(tags).toEqual(
      Object.fromEntries(Object.entries(operationDefaults).map(([name, value]) => [name, format(value)])),
    );
  });

  it("the tables of docs/options.md have the same", () => {
    const rows = read("docs/options.md")
      .split("\n")
      .filter((line) => /^\| `/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    const inGuide = (option: string) => rows.find(([, names = ""]) => names.includes(`\`${option}\``))?.[2] ?? "";
    const expected: Partial<Record<keyof typeof defaults, string>> = {
      totalTimeout: inWords(defaults.totalTimeout),
      maxRetries: String(defaults.maxRetries),
      maxRetryAfter: inWords(defaults.maxRetryAfter),
      idleTimeout: inWords(defaults.idleTimeout),
      eventTimeout: inWords(defaults.eventTimeout),
      streamTimeout: inWords(defaults.streamTimeout),
      reorderTimeout: inWords(defaults.reorderTimeout),
      maxResponseBytes: mebibytes(defaults.maxResponseBytes),
      maxEventBytes: mebibytes(defaults.maxEventBytes),
      pathPrefixes: defaults.pathPrefixes.ai,
      validation: written.validation ?? "",
      dangerouslyAllowHttp: "`[]`",
      dangerouslyAllowBrowser: "`false`",
    };
    for (const [option, text] of Object.entries(expected))
      expect([option, inGuide(option)]).toEqual([option, expect.stringContaining(text)]);
    expect(inGuide("retryDelay")).toContain(`${inWords(first)}, doubled up to ${inWords(max)}, full jitter`);
    const seconds = (...operations: { readonly timeout: number }[]) =>
      operations.map(({ timeout }) => inWords(timeout));
    const [verification, quote, rule, booking, ai] = seconds(findVpas, fareQuote, fareRule, book, createResponse);
    expect(rule).toBe(quote);
    expect(inGuide("timeout")).toBe(`verification ${verification}, quote and rule ${quote}, AI ${ai}, book ${booking}`);
    expect(streamResponse.timeout).toBe(operationDefaults.timeout);
  });
});
