import { describe, expect, it } from "vitest";
import type { Result, Results } from "./drive.ts";
import { expectedOf } from "./expected.ts";
import type { Scenario } from "./scenario.ts";

/** Declares the tests of one runtime: each operation ends in each scenario as the table says. */
export function hold(runtime: string, scenarios: readonly Scenario[], results: () => Results | undefined): void {
  describe(`hostile servers and ${runtime}`, () => {
    it.each(scenarios)("$name", (scenario) => {
      const found = Object.entries(results()?.calls[scenario.name] ?? {});
      const lines = Object.fromEntries(found.map(([operation, { line }]) => [operation, line]));
      expect(lines).toEqual(expectedOf(scenario, runtime, lines));
    });

    it("leaves no listener, timer, socket or request behind", ({ skip }) => {
      const left = results()?.left;
      if (!/Node/.test(runtime) || runtime.startsWith("workerd")) return skip("only Node can tell");
      expect(left).toEqual({ listeners: 0, resources: [] });
    });

    it("sends no booking twice, and calls none unsent of which a byte was received", () => {
      const wrong = scenarios.filter(({ name, calls = 1 }) => {
        const booking = results()?.calls[name]?.book;
        return booking !== undefined && (booking.received > calls || (isUnsent(booking) && booking.received > 0));
      });
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });

    it("calls no request unsent of which a byte was received, and shows no secret", () => {
      const all = scenarios.flatMap(({ name }) =>
        Object.entries(results()?.calls[name] ?? {}).map(([operation, result]) => ({
          name: `${name}: ${operation}`,
          result,
        })),
      );
      expect(all.length).toBeGreaterThan(scenarios.length);
      const wrong = all.filter(({ result }) => result.isLeaking || (isUnsent(result) && result.received > 0));
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });
  });
}

function isUnsent({ error }: Result): boolean {
  return error?.outcome === "notSent";
}
