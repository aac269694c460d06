import { own } from "../names.ts";
import { type FramingName, framings, type Wire } from "./framing.ts";

/** The commands at the beginning of a prompt. */
export interface Commands {
  /** The sample of a stream. */
  readonly stream: string | undefined;
  /** The sample of a body that is not streamed. */
  readonly body: string | undefined;
  readonly wire: Partial<Wire>;
  /** The prompt after the commands. */
  readonly rest: string;
}

/** Commands that choose a sample: `[stream, body]`. */
const samples: Readonly<Record<string, readonly [stream: string, body?: string]>> = {
  truncate: ["stream-truncated"],
  fail: ["stream-failed-midway", "response-failed-200"],
  swap: ["stream-out-of-order"],
  swapfirst: ["stream-first-chunks-swapped"],
  gaps: ["stream-sequence-starts-at-4-with-gaps"],
  duplicate: ["stream-duplicate-sequence"],
  surrogates: ["stream-lone-surrogates"],
  hindi: ["stream-hindi-emoji", "response-whole-follow-up-hindi"],
  markdown: ["stream-markdown", "response-whole-markdown"],
  whole: ["stream-answered-as-one-body"],
  unknown: ["stream-unknown-event"],
  differs: ["stream-final-text-differs"],
  empty: ["stream-empty-output"],
};

/** Commands that say how a stream is written. */
const wires: Readonly<Record<string, (value: string) => Partial<Wire> | undefined>> = {
  framing: (name) => (own(framings, name) === undefined ? undefined : { framing: name as FramingName }),
  stall: (ms) => number(ms, (stall) => ({ stall })),
  heartbeats: (ms) => number(ms, (heartbeats) => ({ heartbeats })),
  pace: (ms) => number(ms, (pace) => ({ pace })),
  bytes: (count) => number(count, (bytes) => ({ bytes: Math.max(1, bytes) })),
};

/**
 * Reads commands such as `/fail` or `/framing:ndjson /bytes:3` from the beginning of a prompt. Unknown commands are
 * part of the prompt.
 */
export function parseCommands(text: string): Commands {
  let commands: Commands = { stream: undefined, body: undefined, wire: {}, rest: text };
  for (;;) {
    const match = /^\/([a-z]+)(?::(\S*))?(?:\s+|$)/.exec(commands.rest);
    const next = match && read(match[1] ?? "", match[2] ?? "");
    if (!match || !next) return commands;
    commands = {
      stream: next.stream ?? commands.stream,
      body: next.body ?? commands.body,
      wire: { ...commands.wire, ...next.wire },
      rest: commands.rest.slice(match[0].length),
    };
  }
}

function read(name: string, value: string): Partial<Commands> | undefined {
  const sample = own(samples, name);
  if (sample !== undefined) return { stream: sample[0], body: sample[1] };
  const wire = own(wires, name)?.(value);
  return wire && { wire };
}

function number<T>(text: string, use: (value: number) => T): T | undefined {
  return /^\d+$/.test(text) ? use(Number(text)) : undefined;
}
