import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/index.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";

describe("an environment that lacks a part of the Web, as that of jsdom", () => {
  const names = [
    "AbortController",
    "Headers",
    "ReadableStream",
    "Response",
    "TextDecoder",
    "TextEncoder",
    "URL",
  ] as const;

  it.each(names)("without %s nothing is sent, and the error names it", async (name) => {
    const fetch = vi.fn(async () => new Response("{}"));
    vi.stubGlobal("fetch", fetch);
    for (const options of [{}, { fetch }]) {
      const api = clientOf(nowhere, options);
      // The stub remembers it. What jsdom lacks is not even undefined.
      vi.stubGlobal(name, undefined);
      Reflect.deleteProperty(globalThis, name);
      const calls = [
        ...[safe, ifNotProcessed, never].map((operation) => () => api.send(operation, {})),
        () => bookUnchecked(api),
        () => api.ai.stream({ user: { text: "Hi" } }).finalText(),
      ];
      for (const call of calls) {
        const error = await failureOf(call(), ConfigurationError);
        expect(error.message).toMatch(new RegExp(`There is no \`${name}\` here`));
        expect(error).toMatchObject({ outcome: "notSent", attempts: 0 });
      }
      vi.stubGlobal(name, Reflect.get(globals, name));
    }
    expect(fetch).not.toHaveBeenCalled();
  });

  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
});
