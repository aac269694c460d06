import { own } from "../names.ts";
import { type FramingName, framings, type Wire } from "./framing.ts";

type Samples = Readonly<Partial<Record<"stream" | "body", string>>>;

const samples: Readonly<Record<string, Samples>> = {
  truncate: { stream: "stream-truncated" },
  fail: { stream: "stream-failed-midway", body: "response-failed-200" },
  swap: { stream: "stream-out-of-order" },
  swapfirst: { stream: "stream-first-chunks-swapped" },
  gaps: { stream: "stream-sequence-starts-at-4-with-gaps" },
  duplicate: { stream: "stream-duplicate-sequence" },
  surrogates: { stream: "stream-lone-surrogates" },
  hindi: { stream: "stream-hindi-emoji", body: "response-whole-follow-up-hindi" },
  markdown: { stream: "stream-markdown", body: "response-whole-markdown" },
  whole: { stream: "stream-answered-as-one-body" },
  unknown: { stream: "stream-unknown-event" },
  differs: { stream: "stream-final-text-differs" },
  empty: { stream: "stream-empty-output" },
};

const wireNumbers = ["stall", "heartbeats", "pace", "bytes"] as const;

/** Reads commands such as `/fail` or `/bytes:3` at the start of a prompt. Unknown ones are part of the prompt. */
export function parseCommands(text: string) {
  let named: Samples = {};
  let wire: Partial<Wire> = {};
  let rest = text;
  for (;;) {
    const [command = "", name = "", value = ""] = /^\/([a-z]+)(?::(\S*))?(?:\s+|$)/.exec(rest) ?? [];
    const sample = own(samples, name);
    const setting = readWire(name, value);
    if (sample === undefined && setting === undefined) return { ...named, wire, rest };
    named = { ...named, ...sample };
    wire = { ...wire, ...setting };
    rest = rest.slice(command.length);
  }
}

function readWire(name: string, value: string): Partial<Wire> | undefined {
  if (name === "framing") return own(framings, value) && { framing: value as FramingName };
  const known = wireNumbers.find((each) => each === name);
  return known !== undefined && /^\d+$/.test(value) ? { [known]: Number(value) } : undefined;
}
