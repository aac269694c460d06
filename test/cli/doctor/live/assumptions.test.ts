import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assumptions } from "../../../../src/cli/doctor/live/assumptions.ts";
import { clientRules, streamRules } from "../../../../src/options.ts";

const page = readFileSync("docs/assumptions.md", "utf8");
/** The rows of docs/assumptions.md by their numbers. */
const documented = [...page.matchAll(/^\| ([WTDAVIF]\d+) +\|/gm)].map(([, id = ""]) => id);

/** The rows of docs/assumptions.md that these calls cannot show, by the reason. */
const unobservable: readonly { readonly reason: string; readonly ids: readonly string[] }[] = [
  {
    reason: "the service sends webhooks to your endpoint: npx serviceapi webhook tests it",
    ids: Array.from({ length: 21 }, (_, index) => `W${index + 1}`),
  },
  { reason: "checked before anything is sent, by npx serviceapi doctor", ids: ["T2", "T4"] },
  { reason: "this command does not run in a browser", ids: ["T5"] },
  { reason: "each call is made once here, without retries", ids: ["D2", "D5", "D8"] },
  {
    reason: "only a booking shows it, and this command never books",
    ids: "D7 F1 F5 F6 F7 F8 F9 F10 F14 F15 F16 F17 F18 F19 F20 F21 F25 F26 F28 F29 F30 F31".split(" "),
  },
  {
    reason: "only a call without a consent, with other images or with a broken text shows it",
    ids: ["V1", "I7", "I9"],
  },
  { reason: "only a conversation after a response that failed shows it", ids: ["I8"] },
  { reason: "only a search of known age shows it", ids: ["F2", "F27"] },
  { reason: "the time zone of a city is on no response", ids: ["F23", "F24"] },
  { reason: "it is about what the library does, whatever the service sends", ids: ["A7", "A9", "A10", "F13", "F32"] },
  { reason: "the library adapts: a warning or an event of the client shows it", ids: ["A6", "I3", "I10"] },
  { reason: "the call itself fails", ids: ["I4", "I5"] },
  { reason: "npx serviceapi quote shows it", ids: ["F12", "F22"] },
];

describe("the assumptions that doctor --live observes", () => {
  it("are rows of docs/assumptions.md, and the other rows are listed with the reason", () => {
    expect(documented.length).toBeGreaterThan(80);
    const observed = new Set(Object.keys(assumptions).map((key) => key.split(".")[0]));
    const others = unobservable.flatMap(({ ids }) => ids);
    expect([...observed, ...others].sort()).toEqual([...documented].sort());
    expect(unobservable.filter(({ reason }) => reason === "")).toEqual([]);
  });

  it("are corrected by real options, or say what else to do", () => {
    const inner = Object.entries({ ...clientRules, ...streamRules }).flatMap(([group, rule]) =>
      (("inner" in rule && (rule.inner as readonly string[])) || []).map((name) => `${group}.${name}`),
    );
    const options = new Set([...Object.keys(clientRules), ...Object.keys(streamRules), ...inner]);
    const others =
      /^(?:defineOperation|isSuccess|isUsable|checkout|fareBreakdown|deadlineZone|indeterminate|body|headers|[a-z]+_\w+|clientData|accountStatus)$/;
    const named = Object.values(assumptions).flatMap(({ remedy }) =>
      [...remedy.matchAll(/`([\w.]+)[^`]*`/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !options.has(name) && !others.test(name))).toEqual([]);
  });
});
