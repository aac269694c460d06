import type { EmulatedResponse } from "../http/messages.ts";
import { pause } from "../http/wait.ts";
import type { Wire } from "./commands.ts";
import type { AiEventBody } from "./events.ts";
import { split } from "./framing.ts";

/** The number of events before a stall or the heartbeats: the initiation and two chunks. */
const stallAfter = 3;

interface Steps {
  /** Waits until an event is due on the emulator's clock. */
  readonly until?: (index: number, signal: AbortSignal) => Promise<void>;
}

/** Returns a streamed response: one event after the other with pauses in real time, as if a model generated them. */
export function writeEvents(
  events: readonly AiEventBody[],
  wire: Partial<Wire> & Pick<Wire, "framing" | "pace"> & Steps,
): EmulatedResponse {
  const { framing } = wire;
  return {
    status: 200,
    headers: { "content-type": framing.contentType },
    body: (signal) => write(events, wire, signal),
  };
}

async function* write(
  events: readonly AiEventBody[],
  { framing, pace, until, stall = 0, heartbeats, bytes = Number.POSITIVE_INFINITY }: Parameters<typeof writeEvents>[1],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [index, event] of events.entries()) {
    if (index > 0 && pace > 0) await pause(pace, signal);
    await until?.(index, signal);
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
