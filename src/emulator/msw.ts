import { HttpResponse, http, type RequestHandler } from "msw";
import type { Emulator } from "./types.ts";

/**
 * The emulator as handlers of Mock Service Worker 3 (an optional peer dependency).
 *
 * @param emulator - Made by `createEmulator()`.
 * @param options - `baseUrl`: the base address that the client is given.
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
  options: { readonly baseUrl: string },
): RequestHandler[] {
  const address = `${options.baseUrl.replace(/\/+$/, "")}/*`;
  return [
    http.all(address, async ({ request }) => {
      try {
        return await emulator.fetch(request);
      } catch {
        // A dropped connection; an abort has been told to the caller by msw itself.
        return HttpResponse.error();
      }
    }),
  ];
}
