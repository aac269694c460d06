import { controlPrefix } from "../http/control.ts";
import { type EmulatedRequest, type EmulatedResponse, json } from "../http/messages.ts";
import { page, scriptHash, styleHash } from "./built-page.ts";
import { Feed } from "./feed.ts";
import { contentSecurityPolicy, guardingHeaders, refuseViewer } from "./guard.ts";
import type { WatchedEmulator } from "./state.ts";
import { writeUpdates } from "./updates.ts";

/** The console of one listening emulator: a page at `/`, and its updates. */
export interface Console {
  /** Returns the response to a request for the page or its updates; undefined for any other request. */
  readonly respond: (request: EmulatedRequest) => EmulatedResponse | undefined;
  /** Stops watching. */
  readonly close: () => void;
}

const updatesPath = `${controlPrefix}events`;

/**
 * Creates a console, which watches the emulator until it is closed.
 *
 * @param options - `canShowPersonalData`: whether the page may switch the masks off.
 */
export function createConsole(
  emulator: WatchedEmulator,
  { canShowPersonalData }: { readonly canShowPersonalData: boolean },
): Console {
  const feed = new Feed();
  const updates = (showsPersonalData: boolean) =>
    writeUpdates(feed, emulator, { canShowPersonalData, showsPersonalData });
  const routes = new Map<string, () => EmulatedResponse>([
    ["/", servePage],
    [updatesPath, () => updates(false)],
    // `EventSource` sends neither a header nor a body that could say so.
    ...(canShowPersonalData ? ([[`${updatesPath}/personal`, () => updates(true)]] as const) : []),
  ]);
  return {
    respond: (request) => {
      const route = request.method === "GET" ? routes.get(request.path) : undefined;
      if (route === undefined) return undefined;
      const error = refuseViewer(request, request.path === "/");
      return error === undefined ? route() : json(403, { error }, guardingHeaders);
    },
    close: emulator.watchers.add(feed),
  };
}

function servePage(): EmulatedResponse {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(scriptHash, styleHash),
    ...guardingHeaders,
  };
  return { status: 200, headers, body: page };
}
