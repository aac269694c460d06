import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { framings } from "../../src/emulator/ai/framing.ts";
import { quoteSamples } from "../../src/emulator/catalogue/quotes.ts";
import { payoutSamples } from "../../src/emulator/deliveries/payout-event.ts";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { faults } from "../../src/emulator/rules/faults.ts";
import { behaviours } from "../../src/emulator/service/operations.ts";

const guide = readFileSync(new URL("../../docs/emulator.md", import.meta.url), "utf8");

describe("docs/emulator.md", () => {
  it.each([
    ["search", Object.keys(quoteSamples)],
    ["fault", Object.keys(faults)],
    ["framing", Object.keys(framings)],
    ["payout", Object.keys(payoutSamples).filter((name) => name.includes("-"))],
  ])("names every %s", (_, names) => {
    expect(names.filter((name) => !new RegExp(`\`${name}(?::<\\w+>)?\``).test(guide))).toEqual([]);
  });

  it("names every control route", async () => {
    const response = await createEmulator().fetch("https://emulator.example/__emulator/");
    const { error } = await response.json();
    const routes = [...error.matchAll(/(GET|POST) (\w+)/g)];
    const isNamed = ([, method, name]: readonly string[]) =>
      guide.includes(`\`${method} /__emulator/${name}\``) || (method === "GET" && guide.includes(`\`…/${name}\``));
    expect(routes.length).toBeGreaterThan(10);
    expect(routes.filter((route) => !isNamed(route)).map(([route]) => route)).toEqual([]);
  });

  it.each(Object.entries(behaviours).map(([name, { samples }]) => [name, samples] as const))(
    "names every sample of %s in its row",
    (operation, samples) => {
      const row = guide.split("\n").find((line) => line.startsWith(`| \`${operation}\` `)) ?? "";
      const searches = new Set(Object.keys(quoteSamples).map((name) => `success-${name}`));
      const own = operation === "flights.fareQuote" ? samples.filter((name) => !searches.has(name)) : samples;
      expect(own.filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
      const written = [...row.matchAll(/`((?:success|failed|stream|response)-[\w-]+)`/g)].map(([, name = ""]) => name);
      expect(written.filter((name) => !samples.includes(name))).toEqual([]);
    },
  );
});
