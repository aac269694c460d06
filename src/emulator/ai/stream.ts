import type { SampleEvent } from "../catalogue/ai.ts";
import { type Answer, pause } from "../http/response.ts";
import type { Wire } from "./commands.ts";
import { split } from "./framing.ts";

/** Behind which event a stall or the heartbeats come: the initiation and two chunks have been sent. */
const stallAfter = 3;

/** A streamed answer: one event after the other with pauses in real time, as a service would that generates text. */
export function writeEvents(
  events: readonly SampleEvent[],
  wire: Partial<Wire> & Pick<Wire, "framing" | "pace">,
): Answer {
  const { framing } = wire;
  return {
    status: 200,
    headers: { "content-type": framing.contentType },
    body: (signal) => write(events, wire, signal),
  };
}

async function* write(
  events: readonly SampleEvent[],
  { framing, pace, stall = 0, heartbeats, bytes = Number.POSITIVE_INFINITY }: Parameters<typeof writeEvents>[1],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [index, event] of events.entries()) {
    if (index > 0 && pace > 0) await pause(pace, signal);
    if (index === stallAfter) {
      if (stall > 0) await pause(stall, signal);
      while (heartbeats !== undefined) {
        yield* split(": keep-alive\n\n", bytes);
        await pause(heartbeats, signal);
      }
    }
    const open = index === 0 ? (framing.open ?? "") : "";
    const close = index === events.length - 1 ? (framing.close ?? "") : "";
    yield* split(`${open}${framing.frame(JSON.stringify(event), index)}${close}`, bytes);
  }
}
