import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { lifecycle } from "../../../src/webhooks/receive/lifecycle.ts";
import { expectViolation, explore, isDeep, timeout } from "../../support/explorer/explore.ts";
import { type Planned, WebhookWorld } from "./explorer/world.ts";

const near = { faults: 1, ticks: 2 };
const bounds = isDeep
  ? [
      { faults: 1, ticks: 3 },
      { faults: 2, ticks: 2 },
    ]
  : [near];

const two = (first: Planned["status"], second: Planned["status"], processes: 1 | 2): readonly Planned[] => [
  { status: first, process: 0 },
  { status: second, process: processes - 1 },
];

const oneNonce = (plan: readonly Planned[]) => plan.map((planned) => ({ ...planned, nonce: "n-1" }));

const table: Record<string, Record<string, string>> = lifecycle;
const whole = structuredClone(table);
/** The transitions that were taken. */
const taken = new Set<string>();

beforeEach(() => {
  for (const [state, row] of Object.entries(whole)) {
    table[state] = new Proxy(row, {
      get(target, event: string) {
        taken.add(`${state}.${event}`);
        return target[event];
      },
    });
  }
});
afterAll(() => {
  Object.assign(table, whole);
});

describe("all that can happen to two deliveries of one reference, in each order", () => {
  it.each([
    ["the same status, in one process", two("SUCCESS", "SUCCESS", 1), 18_200],
    ["the same status, in two processes", two("SUCCESS", "SUCCESS", 2), 15_700],
    ["another status, in one process", two("SUCCESS", "FAILED", 1), 27_000],
    ["another status, in two processes", two("SUCCESS", "FAILED", 2), 21_500],
    ["a DUPLICATE notification, in one process", two("SUCCESS", "DUPLICATE", 1), 4_560],
  ])("%s", { timeout }, async (_case, plan, states) => {
    for (const bound of bounds) {
      const found = await explore(new WebhookWorld(plan), bound);
      if (isDeep) console.log(_case, bound, found.states, found.transitions);
      expect(found.states).toBeGreaterThan(states);
      expect(found.endings.size).toBeGreaterThan(5);
    }
  });

  it.each([
    ["in one process", 1, { faults: 0, ticks: 1 }, 2_900],
    ["in one process", 1, { faults: 1, ticks: 0 }, 790],
    ["in two processes", 2, isDeep ? near : { faults: 1, ticks: 1 }, 15_400],
  ] as const)("the same status and nonce, %s", { timeout }, async (_case, processes, bound, states) => {
    const found = await explore(new WebhookWorld(oneNonce(two("SUCCESS", "SUCCESS", processes))), bound);
    expect(found.states).toBeGreaterThan(states);
    expect(found.endings.size).toBeGreaterThan(3);
  });

  it("takes every transition, but those of settled orders and of other handlers", () => {
    const all = Object.entries(whole).flatMap(([state, row]) => Object.keys(row).map((event) => `${state}.${event}`));
    const others = ["finding.contradicted", "running.committed", "starting.other"];
    expect(all.filter((transition) => !taken.has(transition)).sort()).toEqual(others);
  });
});

describe("it finds a table in which", () => {
  const [same, other] = [two("SUCCESS", "SUCCESS", 1), two("SUCCESS", "FAILED", 1)];

  it.each([
    ["work counts before it is recorded", "running.returned", "SUCCESS", same, "SUCCESS before the commit"],
    ["a commit is given up", "committing.unrecorded", "SUCCESS", same, "SUCCESS before the commit"],
    [
      "another delivery at work makes a duplicate",
      "claiming.inFlight",
      "DUPLICATE",
      same,
      "DUPLICATE before the commit",
    ],
    ["a store that failed is believed", "claiming.threw", "DUPLICATE", same, "DUPLICATE before the commit"],
    ["work that failed is recorded", "running.threw", "committing", same, "committed, and not done"],
    ["work that is done runs again", "claiming.doneHere", "running", same, "started"],
    ["work begins without a claim", "claiming.inFlight", "running", same, "started"],
    ["a conflict is not told", "claiming.contradicted", "DUPLICATE", other, "a conflict that nobody was told"],
    ["a conflict counts as told although the hook threw", "reporting.threw", "DUPLICATE", other, "nobody was told"],
  ])("%s", { timeout }, async (_case, transition, next, plan, violation) => {
    const [state = "", event = ""] = transition.split(".");
    table[state] = { ...whole[state], [event]: next };
    await expectViolation(violation, new WebhookWorld(plan), near);
  });
});
