import type { EmulatedResponse } from "../http/messages.ts";
import { pause } from "../http/wait.ts";
import type { Feed } from "./feed.ts";
import { guardingHeaders } from "./guard.ts";
import type { Update } from "./messages.ts";
import { currentState, type WatchedEmulator } from "./state.ts";

/** The part of an update that differs from page to page. */
type View = Pick<Update, "canShowPersonalData" | "showsPersonalData">;

/** Milliseconds between two updates: what changes in between is sent as one. */
const interval = 50;
/** Milliseconds after which the page is sent the time, if that has changed. */
const tick = 1_000;

/** Returns the updates of one page as server-sent events. They end with the connection, and nothing of it is kept. */
export function writeUpdates(feed: Feed, emulator: WatchedEmulator, view: View): EmulatedResponse {
  const headers = { "content-type": "text/event-stream; charset=utf-8", ...guardingHeaders };
  return { status: 200, headers, body: (signal) => write(feed, emulator, view, signal) };
}

async function* write(
  feed: Feed,
  emulator: WatchedEmulator,
  view: View,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const { showsPersonalData } = view;
  let wake = () => {};
  const close = feed.open(() => wake());
  const now = () => new Date(emulator.controls.clock.now()).toISOString();
  try {
    yield encoder.encode("retry: 1000\n\n");
    for (let sent = -1; !signal.aborted; ) {
      const { isFresh, hasNewState, exchanges } = feed.since(sent);
      sent = feed.last;
      const update: Update = {
        isFresh,
        exchanges: exchanges.map((exchange) => exchange.show(showsPersonalData)),
        ...(hasNewState && { state: currentState(emulator, showsPersonalData) }),
        now: now(),
        ...view,
      };
      yield encoder.encode(`data: ${JSON.stringify(update)}\n\n`);
      await pause(interval, signal);
      while (feed.last === sent && now() === update.now && !signal.aborted) {
        await tickOr((finish) => {
          wake = finish;
        }, signal);
      }
    }
  } finally {
    close();
  }
}

/** Waits for a tick, or until what it passes to `waken` is called, or the connection is closed. */
function tickOr(waken: (finish: () => void) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, tick);
    signal.addEventListener("abort", finish, { once: true });
    waken(finish);
    if (signal.aborted) finish();
  });
}
