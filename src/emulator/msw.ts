import { HttpResponse, http, type RequestHandler } from "msw";
import { nonEmptyString, readOptions } from "../shared/options.ts";
import type { Emulator } from "./types.ts";

/** Options of {@link emulatorHandlers}. */
export interface EmulatorHandlersOptions {
  /** The `baseUrl` of the client. Required. */
  readonly baseUrl: string;
}

/**
 * Returns handlers of Mock Service Worker 3 (an optional peer dependency) that pass requests to the emulator.
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
export function emulatorHandlers(
  emulator: Pick<Emulator, "fetch">,
  options: EmulatorHandlersOptions,
): RequestHandler[] {
  const { baseUrl } = readOptions<EmulatorHandlersOptions>("emulatorHandlers", options, { baseUrl: nonEmptyString }, [
    "baseUrl",
  ]);
  const pattern = `${baseUrl.replace(/\/+$/, "")}/*`;
  return [
    http.all(pattern, async ({ request }) => {
      try {
        return await emulator.fetch(request);
      } catch {
        // A dropped connection. msw itself reports an abort to the caller.
        return HttpResponse.error();
      }
    }),
  ];
}
