import { own } from "../names.ts";
import { type FramingName, framings, type Wire } from "./framing.ts";

export interface Commands {
  readonly stream: string | undefined;
  readonly body: string | undefined;
  readonly wire: Partial<Wire>;
  readonly rest: string;
}

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

const wireNumbers = ["stall", "heartbeats", "pace", "bytes"] as const;

/** Reads commands such as `/fail` or `/bytes:3` at the start of a prompt. Unknown ones are part of the prompt. */
export function parseCommands(text: string): Commands {
  let commands: Commands = { stream: undefined, body: undefined, wire: {}, rest: text };
  for (;;) {
    const [command = "", name = "", value = ""] = /^\/([a-z]+)(?::(\S*))?(?:\s+|$)/.exec(commands.rest) ?? [];
    const [stream, body] = own(samples, name) ?? [];
    const wire = readWire(name, value);
    if (stream === undefined && wire === undefined) return commands;
    commands = {
      stream: stream ?? commands.stream,
      body: body ?? commands.body,
      wire: { ...commands.wire, ...wire },
      rest: commands.rest.slice(command.length),
    };
  }
}

function readWire(name: string, value: string): Partial<Wire> | undefined {
  if (name === "framing") return own(framings, value) && { framing: value as FramingName };
  const known = wireNumbers.find((each) => each === name);
  return known !== undefined && /^\d+$/.test(value) ? { [known]: Number(value) } : undefined;
}
