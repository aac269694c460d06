import { type ClientOptions, ServiceApi, ServiceApiError } from "serviceapi";
import type { Emulator, ResponseName } from "serviceapi/emulator";
import { Webhooks } from "serviceapi/webhooks";
import { failure, heading } from "./paint.ts";
import { traveller } from "./steps.ts";

/** Shows one error of each kind, as a user sees it. */
export async function errors(api: ServiceApi, emulator: Emulator): Promise<void> {
  heading("What can go wrong", "every failure is a typed error that says what to do next");
  const lookUp = (vpa_mobile: string, client = api) => client.verification.findVpas({ vpa_mobile, consent: "Y" });
  const lookUpWith = (name: ResponseName, options: ClientOptions = {}) => {
    emulator.on("*", name, { times: 1 });
    return lookUp("6000000001", api.withOptions({ maxRetries: 0, ...options }));
  };
  const unusable = async () => Response.json({ status: "success", statusCode: "101" });
  const cases: Array<() => unknown> = [
    () => new ServiceApi({ baseUrl: "http://api.example.com" }),
    () => lookUp("12345"),
    () => lookUp("6000000404"),
    () => lookUp("6000000001", api.withOptions({ clientSecret: "wrong-secret" })),
    () => lookUpWith("reset"),
    () => lookUpWith("no-response", { timeout: 100 }),
    () => api.ai.createResponse({ user: { text: "…" } }, { signal: AbortSignal.abort() }),
    () => lookUpWith("html-502"),
    () => lookUp("6000000001", api.withOptions({ fetch: unusable })),
    () => api.ai.stream({ user: { text: "/truncate" } }).finalText(),
    () => lostBooking(api, emulator),
    () => new Webhooks({ auth: "none" }).parse('{"status":"SUCCESS"}'),
  ];
  for (const attempt of cases) {
    try {
      await attempt();
    } catch (error) {
      if (!ServiceApiError.isInstance(error)) throw error;
      failure(error);
    }
  }
}

/** Makes a booking whose response is lost on its way. */
async function lostBooking(api: ServiceApi, emulator: Emulator): Promise<void> {
  const search = emulator.seedSearch();
  const { data } = await api.flights.fareQuote(search);
  const [offer] = data.result;
  if (offer === undefined) return;
  const passengers = [{ ...traveller, lname: "TIMEOUTBOOKED" }];
  await api.flights.book({ trace_id: search.trace_id, token: offer.token, passengers });
}
