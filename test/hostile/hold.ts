import { describe, expect, it } from "vitest";
import type { Result, Results } from "./drive.ts";
import { expectedOf } from "./expected.ts";
import type { Scenario } from "./scenario.ts";

/** A runtime, or a `fetch` in it. */
export interface Held {
  readonly name: string;
  /** Whether it can tell the timers and sockets of the process. */
  readonly tellsRemains: boolean;
}

/** Declares the tests of one runtime: each operation ends in each scenario as the table says. */
export function hold(
  { name: runtime, tellsRemains }: Held,
  scenarios: readonly Scenario[],
  results: () => Results | undefined,
): void {
  describe(`hostile servers and ${runtime}`, () => {
    it.each(scenarios)("$name", (scenario) => {
      const found = Object.entries(results()?.calls[scenario.name] ?? {});
      const lines = Object.fromEntries(found.map(([operation, { line }]) => [operation, line]));
      expect(lines).toEqual(expectedOf(scenario, runtime, lines));
    });

    it(`leaves no listener${tellsRemains ? ", timer, socket or request" : ""} behind`, () => {
      expect(results()?.remains).toEqual({ listeners: 0, ...(tellsRemains && { resources: [] }) });
    });

    it("sends no booking twice, and calls none unsent of which a byte was received", () => {
      const wrong = scenarios.filter(({ name, calls = 1 }) => {
        const booking = results()?.calls[name]?.book;
        return booking !== undefined && (booking.received > calls || (isUnsent(booking) && booking.received > 0));
      });
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });

    it("calls no request unsent of which a byte was received, and shows no secret and no person", () => {
      const all = scenarios.flatMap(({ name }) =>
        Object.entries(results()?.calls[name] ?? {}).map(([operation, result]) => ({
          name: `${name}: ${operation}`,
          result,
        })),
      );
      expect(all.length).toBeGreaterThan(scenarios.length);
      const wrong = all.filter(({ result }) => result.leaks.length > 0 || (isUnsent(result) && result.received > 0));
      expect(wrong.map(({ name, result }) => [name, ...result.leaks])).toEqual([]);
      expect(results()?.leaks).toEqual([]);
    });
  });
}

function isUnsent({ error }: Result): boolean {
  return error?.outcome === "notSent";
}
