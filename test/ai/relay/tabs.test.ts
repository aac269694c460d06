import fc from "fast-check";
import { createEmulator } from "serviceapi/emulator";
import { expect, it, vi } from "vitest";
import { readRelay, relayTurn } from "../../../src/ai/entry.ts";
import { ServiceApi, type ServiceApiError } from "../../../src/index.ts";
import { stopClock } from "../../support/clock.ts";
import { isDeep, timeout } from "../../support/explorer/explore.ts";

/** The fate of a `save`: it works, is never done, or is done and its result is lost. */
type Save = "works" | "fails" | "lost";

interface World {
  readonly saves: readonly Save[];
  /** The faults of the emulator, or its own responses. */
  readonly responses: readonly ("cut-json" | "reset-mid-body" | "unavailable" | null)[];
  /** For each question of each tab, whether its reader leaves after the first event. */
  readonly tabs: readonly (readonly boolean[])[];
  /** The number of times at which all leases run out. */
  readonly pauses: number;
}

const worlds = fc.record<World>({
  saves: fc.array(fc.constantFrom<Save>("works", "works", "works", "fails", "lost"), { maxLength: 8 }),
  responses: fc.array(fc.constantFrom(null, null, "cut-json", "reset-mid-body", "unavailable"), { maxLength: 4 }),
  tabs: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 }),
  pauses: fc.nat({ max: 2 }),
});

it("tabs of one conversation lose no turn that they were shown, and ask one after the other, in whatever order their steps come", {
  timeout,
}, async () => {
  stopClock("Date");
  let time = 1_800_000_000_000;
  const holds = async (scheduler: fc.Scheduler, { saves, responses, tabs, pauses }: World) => {
    vi.setSystemTime(time);
    const step = (name: string) => scheduler.schedule(Promise.resolve(), name);
    const emulator = createEmulator({ pace: 0 });
    for (const name of responses) emulator.on("ai.stream", name ?? {}, { times: 1 });
    const asked = () => emulator.requests.map(({ body }) => body as { user: { text: string }; context_token?: string });
    const textsOf = (list: readonly { readonly user: { readonly text: string } }[]) =>
      list.map(({ user }) => user.text);
    const api = new ServiceApi({
      ...{ baseUrl: "https://emulator.example", clientId: "any", clientSecret: "any" },
      async fetch(...given) {
        await step("the question arrives");
        // After a lease ran out, its question may arrive beside the next.
        if (++askedSinceLease > 1 && pauses === 0) violations.push("two questions were asked under one lease");
        return emulator.fetch(...given);
      },
    });

    let saved = JSON.stringify(api.ai.conversation());
    const turns = (text = saved) => api.ai.conversation(text).turns;
    const leaseOf = (text: string): { until: number } | undefined => JSON.parse(text).lease;
    /** The fate of the last attempt to end each lease without a turn. */
    const endings = new Map<string, Save>();
    const rest = [...saves];
    let askedSinceLease = 0;
    const violations: string[] = [];

    async function replace(next: string, previous: string, fate: Save): Promise<boolean> {
      await step("save");
      const held = leaseOf(saved);
      const isDone = fate !== "fails" && saved === previous;
      if (leaseOf(previous) && turns(next).length === turns(previous).length) endings.set(previous, fate);
      if (isDone && leaseOf(next)) {
        if (held && time < held.until) violations.push("a lease was taken over");
        askedSinceLease = 0;
      }
      if (isDone) saved = next;
      await step("the result of save");
      if (fate !== "works") throw new Error("The database went away.");
      return isDone;
    }

    async function ask(text: string, leaves: boolean): Promise<void> {
      const seen = turns().length;
      let isLost = false;
      let leased = "";
      const load = () => step("load").then(() => saved);
      const save = (next: string, previous: string) => {
        const fate = rest.shift() ?? "works";
        isLost ||= fate === "lost";
        if (leaseOf(next)) leased = next;
        return replace(next, previous, fate);
      };
      await step("the person asks");
      const response = await relayTurn(api.ai, { text, turns: seen, load, save }).catch(
        (error: ServiceApiError) => error,
      );
      if (!(response instanceof Response)) return expect(response.kind).toBe("configuration");
      if (response.status === 409) expect(textsOf(asked())).not.toContain(text);
      let isComplete = false;
      try {
        for await (const { event } of readRelay(response)) {
          if (leaves) return;
          await step("the reader reads");
          isComplete = event === "response_completed";
        }
      } catch {
        isComplete = false;
      }
      if (isComplete) expect(turns()[seen]?.user.text).toBe(text);
      else if (!isLost) expect(textsOf(turns())).not.toContain(text);
      // The person can ask again at once.
      if (saved === leased) expect(endings.get(leased)).toBe("fails");
    }

    async function visit(leaves: readonly boolean[], i: number): Promise<void> {
      for (const [n, leavesEarly] of leaves.entries()) await ask(`question ${n} of tab ${i}`, leavesEarly);
    }

    async function pass(): Promise<void> {
      await step("time passes");
      time += 181_000;
      vi.setSystemTime(time);
    }

    await scheduler.waitFor(Promise.all([...tabs.map(visit), ...Array.from({ length: pauses }, pass)]));
    // A reader who has left frees the conversation.
    await scheduler.waitIdle();

    expect(violations).toEqual([]);
    if (leaseOf(saved)) expect(endings.get(saved)).toBe("fails");
    const kept = turns();
    expect(new Set(textsOf(kept)).size).toBe(kept.length);
    const parents = kept.map(({ user }) => asked().find((body) => body.user.text === user.text)?.context_token);
    expect(parents).toEqual([undefined, ...kept.map((turn) => turn.context_token)].slice(0, kept.length));
  };
  await fc.assert(fc.asyncProperty(fc.scheduler(), worlds, holds), { numRuns: isDeep ? 10_000 : 200, seed: 1 });
});
