import { type HttpHandler, HttpResponse, http } from "msw";
import { nonEmptyString, readArguments } from "../shared/options.ts";
import { hasOperationAt } from "./http/fetch.ts";
import type { Emulator } from "./types.ts";

/** Options of {@link emulatorHandlers}. */
interface EmulatorHandlersOptions {
  /** The `baseUrl` of the client. Its path is not part of what the emulator sees. Required. */
  readonly baseUrl: string;
}

/**
 * Returns handlers of Mock Service Worker 2 or 3 (an optional peer dependency) that pass requests to the emulator.
 *
 * They take the paths of the emulator's operations only, those of your own included once a rule was passed for them.
 * Any other request to the same host goes on to your other handlers, and then to `onUnhandledRequest` or
 * `onUnhandledFrame` of msw.
 *
 * @param emulator - Created by `createEmulator()`.
 * @param options - See {@link EmulatorHandlersOptions}.
 * @throws {@link ConfigurationError} for an unknown or missing option.
 *
 * @example
 * ```ts
 * import { setupServer } from "msw/node";
 * import { createEmulator } from "serviceapi/emulator";
 * import { emulatorHandlers } from "serviceapi/msw";
 *
 * const server = setupServer(...emulatorHandlers(createEmulator(), { baseUrl: "https://api.example.com" }));
 * server.listen();
 * ```
 */
export function emulatorHandlers(emulator: Pick<Emulator, "fetch">, options: EmulatorHandlersOptions): HttpHandler[] {
  const { baseUrl } = readArguments("emulatorHandlers", options, { baseUrl: nonEmptyString });
  const base = baseUrl.replace(/\/+$/, "");
  const basePath = URL.parse(base)?.pathname.replace(/\/$/, "") ?? "";
  return [
    http.all(`${base}/*`, async ({ request }) => {
      const { method, headers, signal } = request;
      const url = new URL(request.url);
      url.pathname = url.pathname.slice(basePath.length);
      if (!hasOperationAt(emulator.fetch, url.pathname)) return undefined;
      try {
        return await emulator.fetch(url, { method, headers, signal, body: (await request.text()) || null });
      } catch {
        // A dropped connection. msw itself reports an abort to the caller.
        return HttpResponse.error();
      }
    }),
  ];
}
