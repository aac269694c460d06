import { loadParts } from "../shared/load-parts.ts";
import { refuseOldRuntime } from "../shared/old-runtime.ts";
import { anyOf, integer, milliseconds, type Rules as OptionRules, oneOf, readOptions } from "../shared/options.ts";
import { quoteSamples } from "./catalogue/quotes.ts";
import type { Feed } from "./console/console.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import type { EmulatorControls } from "./http/control.ts";
import { createFetch } from "./http/fetch.ts";
import { type ListenOptions, listen, readListenOptions } from "./http/server.ts";
import { type EmulatorOptions, emulatorRules, resolveSettings } from "./options.ts";
import { checkEventDelay, checkResponse } from "./rules/response.ts";
import { Rules } from "./rules/rules.ts";
import type { RuleOptions } from "./rules/types.ts";
import { Operations } from "./service/operations.ts";
import { createHandler } from "./service/serve.ts";
import { Clock } from "./state/clock.ts";
import { State } from "./state/state.ts";
import type { Emulator } from "./types.ts";

export type { SearchName } from "./catalogue/quotes.ts";
export { sample } from "./catalogue/samples.ts";
export type { PayoutRequest } from "./deliveries/payout-event.ts";
export { signedDelivery } from "./deliveries/signed-delivery.ts";
export type { Delivery, DeliveryAttempt, FireOptions, WebhookSettings } from "./deliveries/types.ts";
export type { EmulatorServer, ListenOptions } from "./http/server.ts";
export type { EmulatorOptions } from "./options.ts";
export type { OperationName, ResponseName, SampleNames } from "./rules/names.ts";
export { type Refusal, refusal } from "./rules/refusal.ts";
export type { Rule, RuledOperation, RuleOptions, RuleResponses } from "./rules/types.ts";
export type { EmulatorClock } from "./state/clock.ts";
export type { EmulatedBooking, ReceivedRequest, SeededSearch } from "./state/state.ts";
export type { Emulator } from "./types.ts";

/**
 * Creates an emulator: the service of the interface document, stateful and deterministic, in memory. It is for tests
 * and demonstrations without credentials, and is built from the operations that the client sends.
 *
 * Any credentials will do. The secret `wrong-secret` fails to authenticate (§5), and the client id `blocked-ip` is
 * refused. docs/emulator.md lists all test values and the names of responses.
 *
 * @param given - See {@link EmulatorOptions}. All of them have defaults.
 * @throws {ConfigurationError} for an unknown option or an invalid value, such as a `now` that is not a time, or for a
 *   Node that is too old.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { createEmulator } from "serviceapi/emulator";
 *
 * const emulator = createEmulator({ pace: 0 });
 * const api = new ServiceApi({
 *   baseUrl: "https://emulator.example",
 *   clientId: "demo-client",
 *   clientSecret: "demo-secret",
 *   fetch: emulator.fetch,
 * });
 *
 * const quote = await api.flights.fareQuote(emulator.seedSearch());
 * console.log(quote.data.result[0]?.fare.total_fare); // 7480
 * ```
 */
export function createEmulator(given: EmulatorOptions = {}): Emulator {
  refuseOldRuntime();
  const options = readOptions("createEmulator", given, emulatorRules);
  const settings = resolveSettings(options);
  const state = new State();
  const clock = new Clock(options.now === undefined ? undefined : new Date(options.now).getTime());
  const feeds = new Set<Feed>();
  const deliveries = new Deliveries(options.webhook ?? {}, clock, () => state.next());
  const operations = new Operations(settings);
  const rules = new Rules();
  const controls: EmulatorControls = {
    get unused() {
      return rules.unused;
    },
    get active() {
      return rules.active;
    },
    requests: state.requests.entries,
    bookings: state.bookings.entries,
    deliveries: deliveries.history,
    clock,
    seedSearch(name = "domestic-oneway-full-service") {
      readOptions("emulator.seedSearch", { name }, { name: oneOf(...Object.keys(quoteSamples)) });
      return state.openSearch(name, clock.now());
    },
    on(target, response, given = {}) {
      const options = readOptions("emulator.on", given, ruleRules);
      const behaviour = operations.target(target);
      checkResponse(response, behaviour, Object.values(operations.samples).flat());
      if (options.eventDelay !== undefined) checkEventDelay(response, behaviour);
      return rules.add({ operation: behaviour?.operation.name ?? "*", response, ...options });
    },
    deliverTo: (to, settings = {}) => deliveries.deliverTo(to, settings),
    payout: (payout = {}) => deliveries.payout(payout),
    fire: (event = "SUCCESS", options = {}) => deliveries.fire(event, options),
    reset() {
      for (const part of [state, rules, clock, deliveries, ...feeds]) part.clear();
    },
  };
  const { onRequest } = options;
  const handle = createHandler({ state, rules, clock, settings, operations, feeds, onRequest }, controls);
  return Object.assign(controls, {
    fetch: createFetch(handle, (path) => operations.knows(path)),
    listen: async (given: ListenOptions = {}) => {
      const { hasConsole, isLoopback, ...where } = readListenOptions(given);
      if (!hasConsole) return listen(handle, where);
      // The code of the console is loaded only when it is wanted.
      const loading = import("./console/console.ts");
      await loadParts(loading);
      const { feed, respond } = (await loading).createConsole(controls, isLoopback);
      const server = await listen(
        async (request) => respond(request) ?? handle(request),
        where,
        () => feeds.delete(feed),
      );
      feeds.add(feed);
      return server;
    },
  });
}

const ruleRules: OptionRules<RuleOptions> = {
  times: anyOf("must be an integer of at least 1, or Infinity", integer(1), oneOf(Number.POSITIVE_INFINITY)),
  delay: milliseconds(),
  eventDelay: milliseconds(),
};
