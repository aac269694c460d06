import { inspect } from "node:util";
import { expect } from "vitest";

/** The client secret of every test client. */
export const secret = "s3cret-Do/Not+Print=4711";

/** Every way in which a value gets into a log or onto a screen. */
export function everyPrintOf(value: unknown): string {
  const prints = [
    inspect(value),
    inspect(value, { depth: 10, showHidden: true }),
    // Without the function that prints a client as its name.
    inspect(value, { depth: 10, showHidden: true, getters: true, customInspect: false }),
    JSON.stringify(value) ?? "",
    String(value),
  ];
  for (let link = value, depth = 0; link instanceof Error && depth < 8; link = link.cause, depth++) {
    prints.push(link.stack ?? "", link.message, inspect(link, { depth: 10, showHidden: true, getters: true }));
  }
  return prints.join("\n");
}

/** Fails when the secret can be read off a value in any way, whole or in the forms that libraries give it. */
export function expectNoSecret(value: unknown): void {
  const prints = everyPrintOf(value);
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), btoa(secret)]) {
    expect(prints.includes(form), `the secret is in:\n${prints}`).toBe(false);
  }
}
