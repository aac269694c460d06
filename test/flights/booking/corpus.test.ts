/** Whether the outcome of a call that is sent once is proved: replies as careful people judged them. */
import { describe, expect, it, vi } from "vitest";
import { operationResponse } from "../../../src/transport/envelope.ts";
import { proveRefusal } from "../../../src/transport/refusals/proof.ts";
import { corpora, outcomeOf, type Reply } from "./corpus.ts";

const replies = corpora.flatMap(([, replies]) => replies);
const isOpen = ({ expected }: Reply) => expected === "unknown" || expected === "duplicate";

describe.each(corpora)("the replies of %s", (_name, replies) => {
  it.each(replies.map((reply) => [reply.name, reply] as const))("%s", async (_case, reply) => {
    expect(await outcomeOf(reply)).toBe(reply.told ?? reply.expected);
  });
});

describe("all of them together", () => {
  it("are decided as they were judged, or more cautiously", () => {
    // A wrong `unknown` costs a telephone call. A wrong "no" costs a second ticket, a wrong "yes" the only one.
    const wrong = replies.filter((reply) => reply.told === "duplicate" && !isOpen(reply));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it("leave at most 15 % of the plain refusals unknown", () => {
    const plain = replies.filter(({ plain }) => plain);
    expect(plain.length).toBeGreaterThan(150);
    expect(plain.filter(({ told }) => told !== undefined).length / plain.length).toBeLessThanOrEqual(0.15);
  });
});

function proofOf({ http, body, text, operation }: Reply, prove = proveRefusal) {
  const seen = operationResponse({ status: http }, body, text);
  const path = operation === undefined ? "flight/book" : "ticket/issue";
  const sent = operation === undefined ? sentBooking : { client_referenceId: "REF-1", amount: 500 };
  return prove(seen, { path, sent, params: sent, known: [] });
}

const sentBooking = {
  ...{ trace_id: "TRACE-1", token: "TOK-1", client_referenceId: "REF-1" },
  passengers: [{ fname: "", lname: "", email: "", mobile: "", dob: "", gender: "", title: "", city: "" }],
};

describe("a reply that proves nothing proves no more", () => {
  const open = replies.filter((reply) => isOpen(reply) && proofOf(reply).unrecognized !== undefined);
  const proves = (reply: Reply) => proofOf(reply).isProved;
  /** Changes each text of a reply, and not its names and codes. */
  const withTexts = (reply: Reply, change: (text: string) => string): Reply => {
    const walk = (value: unknown): unknown => {
      if (typeof value === "string") return /\s/.test(value) ? change(value) : value;
      if (Array.isArray(value)) return value.map(walk);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child)]));
    };
    return { ...reply, ...(reply.text !== undefined && { text: change(reply.text) }), body: walk(reply.body) };
  };

  it.each<[string, (text: string) => string]>([
    ["in capitals", (text) => text.toUpperCase()],
    ["in lower case", (text) => text.toLowerCase()],
    ["with a plain refusal before it", (text) => `Invalid token. ${text}`],
    ["with a plain refusal behind it", (text) => `${text}. Invalid token`],
    ["with a lead-in", (text) => `Booking failed: ${text}`],
    ["with its clauses on lines", (text) => text.replaceAll(/[.,;] /g, "\n")],
  ])("%s", (_case, change) => {
    const changed = open
      .filter(({ text }) => text === undefined || text !== "")
      .map((reply) => withTexts(reply, change));
    expect(changed.filter(proves).map(({ name }) => name)).toEqual([]);
  });

  it("cut at any word", () => {
    const wrong: string[] = [];
    for (const reply of open) {
      const words = Math.max(
        ...[JSON.stringify(reply.body ?? ""), reply.text ?? ""].map((text) => text.split(" ").length),
      );
      for (let at = 1; at < Math.min(words, 12); at++) {
        const cut = withTexts(reply, (text) => {
          const parts = text.split(" ");
          return `${parts.slice(0, at).join(" ")}. ${parts.slice(at).join(" ")}`;
        });
        if (proves(cut)) wrong.push(`${reply.name}, at ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("without any one line of the grammar", async () => {
    const [grammarFile, proofFile] = ["grammar", "proof"].map(
      (name) => new URL(`../../../src/transport/refusals/${name}.ts`, import.meta.url).pathname,
    ) as [string, string];
    const grammar = await vi.importActual<typeof import("../../../src/transport/refusals/grammar.ts")>(grammarFile);
    const proverWith = async (changed: Partial<typeof grammar>): Promise<typeof proveRefusal> => {
      vi.resetModules();
      vi.doMock(grammarFile, () => ({ ...grammar, ...changed }));
      return (await import(proofFile)).proveRefusal;
    };
    const start = new Set([0]);
    /** The clauses of a reply that some line of a list accounts for: only without that line are they read otherwise. */
    const accounted = new Set<string>();
    const listening = await proverWith({
      readLine(lines) {
        const part = grammar.readLine(lines);
        return (text, starts) => {
          const ends = part(text, starts);
          if (ends.has(text.length)) accounted.add(text);
          return ends;
        };
      },
    });
    const readings = open.map((reply) => {
      accounted.clear();
      proofOf(reply, listening);
      return { reply, clauses: [...accounted] };
    });
    const wrong: string[] = [];
    let affectedByAny = 0;
    for (const [kind, list] of [...Object.entries(grammar.refusals), ["neutral", grammar.neutral] as const]) {
      for (const [i, line] of list.entries()) {
        const part = grammar.readLine(line);
        const affected = readings.filter(({ clauses }) => clauses.some((text) => part(text, start).has(text.length)));
        if (affected.length === 0) continue;
        affectedByAny += affected.length;
        const without = list.filter((_, j) => j !== i);
        const prove = await proverWith(
          kind === "neutral" ? { neutral: without } : { refusals: { ...grammar.refusals, [kind]: without } },
        );
        wrong.push(
          ...affected
            .filter(({ reply }) => proofOf(reply, prove).isProved)
            .map(({ reply }) => `${reply.name}: ${kind} ${i}`),
        );
      }
    }
    vi.doUnmock(grammarFile);
    vi.resetModules();
    expect(affectedByAny).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });
});
