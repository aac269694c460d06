import type { EmulatorControls } from "../http/control.ts";
import { hostOf, isThisMachine } from "../http/control-access.ts";
import { controlPrefix, type EmulatedRequest, type EmulatedResponse, json, type Pieces } from "../http/messages.ts";
import { pause } from "../http/wait.ts";
import { own } from "../names.ts";
import type { ReceivedRequest } from "../state/state.ts";
import { page, scriptHash, styleHash } from "./built-page.ts";
import { Exchange, type ShownExchange } from "./exchange.ts";
import { cutText, showText } from "./masks.ts";

/** Headers of all that the console sends: no other page can frame it, read it or keep it. */
const guardingHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** The page consists of one script and one style sheet. */
const contentSecurityPolicy = [
  `default-src 'none'; script-src '${scriptHash}'; style-src '${styleHash}'; connect-src 'self'; img-src data:`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join("; ");

const servedPage: EmulatedResponse = {
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    ...guardingHeaders,
  },
  body: page,
};

/** Creates the console of a listening emulator: a page, and its updates about what the feed observes. */
export function createConsole(emulator: EmulatorControls, canShowPersonalData: boolean) {
  const feed = new Feed();
  const updates = (showsPersonalData: boolean) =>
    writeUpdates(feed, emulator, { canShowPersonalData, showsPersonalData });
  const routes: Readonly<Record<string, () => EmulatedResponse>> = {
    "/": () => servedPage,
    [`${controlPrefix}events`]: () => updates(false),
    // `EventSource` sends neither a header nor a body that could say so.
    ...(canShowPersonalData && { [`${controlPrefix}events/personal`]: () => updates(true) }),
  };
  return {
    feed,
    /** Returns the response to a request for the page or its updates; undefined for any other request. */
    respond: (request: EmulatedRequest): EmulatedResponse | undefined => {
      const route = request.method === "GET" ? own(routes, request.path) : undefined;
      if (route === undefined) return undefined;
      const error = refuseViewer(request);
      return error === undefined ? route() : json(403, { error }, guardingHeaders);
    },
  };
}

/**
 * Returns why a browser must not show the console, or undefined if it may. The request has passed `refuseForeign`, which
 * also accepts names that were allowed for other programs, and pages of other ports. One of these may link to the page.
 */
function refuseViewer({ path, headers }: EmulatedRequest): string | undefined {
  if (!isThisMachine(hostOf(`http://${headers.get("host")}`) ?? "")) {
    return "The console opens only under a loopback name, such as 127.0.0.1 or localhost.";
  }
  const site = headers.get("sec-fetch-site")?.toLowerCase() ?? "none";
  return path === "/" || site === "same-origin" || site === "none" ? undefined : "Only the console reads its updates.";
}

const maxExchanges = 100;

/** The latest exchanges of an emulator, oldest first, for the pages of a console. */
export class Feed {
  #count = 0;
  exchanges: readonly Exchange[] = [];
  clears = 0;

  observe(request: ReceivedRequest): Exchange {
    this.#count += 1;
    const exchange = new Exchange(this.#count, request);
    this.exchanges = [...this.exchanges, exchange].slice(-maxExchanges);
    return exchange;
  }

  clear(): void {
    this.exchanges = [];
    this.clears += 1;
  }
}

/** One update of the page: JSON, as an event of `GET /__emulator/events`. */
export interface Update {
  readonly canShowPersonalData: boolean;
  readonly showsPersonalData: boolean;
  /** Whether everything that the page shows is outdated: at the start, and after a reset. */
  readonly isFresh: boolean;
  /** The exchanges that have changed, oldest first. The page adds or replaces them by their ids. */
  readonly exchanges: readonly ShownExchange[];
  readonly state: ReturnType<typeof currentState>;
  /** The second of the emulator's time, in ISO 8601. */
  readonly now: string;
}

/** Milliseconds between two looks at what has changed: it is sent as one update. */
const interval = 50;

/** Returns the updates of one page as server-sent events. They end with the connection, and nothing of it is kept. */
export function writeUpdates(
  feed: Feed,
  emulator: EmulatorControls,
  view: Pick<Update, "canShowPersonalData" | "showsPersonalData">,
): EmulatedResponse {
  const body = async function* (signal: AbortSignal): Pieces {
    const encoder = new TextEncoder();
    let sent: readonly ShownExchange[] = [];
    let clears = -1;
    let look = "";
    yield encoder.encode("retry: 1000\n\n");
    for (; ; await pause(interval, signal)) {
      const shown = feed.exchanges.map((exchange) => exchange.show(view.showsPersonalData));
      const exchanges = shown.filter((each) => !sent.includes(each));
      const isFresh = clears !== feed.clears;
      const now = new Date(Math.floor(emulator.clock.now() / 1_000) * 1_000).toISOString();
      const current = { state: currentState(emulator, view.showsPersonalData), now };
      const before = look;
      look = JSON.stringify(current);
      if (!isFresh && exchanges.length === 0 && look === before) continue;
      sent = shown;
      clears = feed.clears;
      const update: Update = { isFresh, exchanges, ...current, ...view };
      yield encoder.encode(`data: ${JSON.stringify(update)}\n\n`);
    }
  };
  return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8", ...guardingHeaders }, body };
}

const maxEntries = 50;

/** Returns the active rules, the latest entries of each list, newest first, and the lengths of the lists. */
function currentState({ active, requests, bookings, deliveries }: EmulatorControls, showsPersonalData: boolean) {
  const latest = <T>(list: readonly T[]) => list.slice(-maxEntries).reverse();
  return {
    active: latest(active),
    bookings: latest(bookings).map(({ client_referenceId, pnr, booking_id }) => ({
      client_referenceId: cutText(client_referenceId, 200),
      pnr: showText(cutText(pnr, 200), showsPersonalData),
      booking_id: showText(`${booking_id}`, showsPersonalData),
    })),
    // Of a notification, the page is sent the status alone.
    deliveries: latest(deliveries).map(({ client_referenceId, event, state, attempts, nextAttemptAt }) => ({
      client_referenceId: cutText(client_referenceId, 200),
      status: cutText(`${event.status}`, 50),
      ...{ state, attempts, nextAttemptAt },
    })),
    counts: { requests: requests.length, bookings: bookings.length, deliveries: deliveries.length },
  };
}
