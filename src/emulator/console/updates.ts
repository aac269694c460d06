import type { EmulatedResponse } from "../http/messages.ts";
import { pause } from "../http/wait.ts";
import type { Feed, Unread } from "./feed.ts";
import { guardingHeaders } from "./guard.ts";
import type { Update } from "./messages.ts";
import { currentState, type WatchedEmulator } from "./state.ts";

/** What one page is shown. */
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
  const unread = feed.open();
  const now = () => new Date(emulator.controls.clock.now()).toISOString();
  try {
    yield encoder.encode("retry: 1000\n\n");
    while (!signal.aborted) {
      const update = take(unread, emulator, view, now());
      yield encoder.encode(`data: ${JSON.stringify(update)}\n\n`);
      await pause(interval, signal);
      while (!hasNews(unread) && !signal.aborted) {
        await wakenOr(tick, unread, signal);
        if (now() !== update.now) break;
      }
    }
  } finally {
    feed.close(unread);
  }
}

function take(unread: Unread, emulator: WatchedEmulator, view: View, now: string): Update {
  const { showsPersonalData } = view;
  const exchanges = [...unread.exchanges].sort((one, other) => one.id - other.id);
  const update: Update = {
    isFresh: unread.isFresh,
    exchanges: exchanges.map((exchange) => exchange.show(showsPersonalData)),
    ...(unread.hasNewState && { state: currentState(emulator, showsPersonalData) }),
    now,
    ...view,
  };
  unread.isFresh = false;
  unread.hasNewState = false;
  unread.exchanges.clear();
  return update;
}

function hasNews({ isFresh, hasNewState, exchanges }: Unread): boolean {
  return isFresh || hasNewState || exchanges.size > 0;
}

/** Waits until there is something to send, or the connection is closed; at most `duration` milliseconds. */
function wakenOr(duration: number, unread: Unread, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      unread.wake = () => {};
      resolve();
    };
    const timer = setTimeout(finish, duration);
    signal.addEventListener("abort", finish, { once: true });
    unread.wake = finish;
    if (signal.aborted) finish();
  });
}
