import { loadParts } from "../shared/load-parts.ts";
import { isLoopbackHost } from "../shared/loopback.ts";
import { refuseOldRuntime } from "../shared/old-runtime.ts";
import { checked } from "./check-options.ts";
import type { WatchedEmulator } from "./console/state.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import type { EmulatorControls } from "./http/control.ts";
import { createFetch } from "./http/fetch.ts";
import type { Handler } from "./http/messages.ts";
import { defaultHost, listen } from "./http/server.ts";
import type { EmulatorServer, ListenOptions } from "./http/types.ts";
import type { EmulatorOptions } from "./options.ts";
import { checkEventDelay, checkScripted } from "./scripts/run.ts";
import { createHandler } from "./service/handle.ts";
import { Operations } from "./service/operations.ts";
import { resolveSettings } from "./service/settings.ts";
import { Watchers } from "./service/watchers.ts";
import type { Given } from "./state/active-scenario.ts";
import { Clock } from "./state/clock.ts";
import { State } from "./state/state.ts";
import type { Emulator } from "./types.ts";

export type { SearchName } from "./catalogue/quotes.ts";
export { sample } from "./catalogue/samples.ts";
export type { FaultName, OperationName, SampleNames, ScenarioName } from "./catalogue/scenario-names.ts";
export { signedDelivery } from "./deliveries/signed-delivery.ts";
export type { Delivery, DeliveryAttempt, FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";
export type { EmulatorServer, ListenOptions } from "./http/types.ts";
export type { EmulatorOptions } from "./options.ts";
export { type Refusal, refusal } from "./scripts/refusal.ts";
export type { ScenarioOptions, Script, ScriptedOperation, ScriptOptions, Scripts } from "./scripts/types.ts";
export type { ReceivedRequest } from "./service/received-request.ts";
export type { EmulatorClock } from "./state/clock.ts";
export type { ActiveScenario, EmulatedBooking, SeededSearch } from "./state/types.ts";
export type { Emulator } from "./types.ts";

/**
 * Creates an emulator: the service of the interface document, stateful and deterministic, in memory. It is for tests
 * and demonstrations without credentials, and is built from the operations that the client sends.
 *
 * Any credentials will do. The secret `wrong-secret` fails to authenticate (§5), and the client id `blocked-ip` is
 * refused. docs/emulator.md lists all test values and scenarios.
 *
 * @param given - See {@link EmulatorOptions}. All of them have defaults.
 * @throws {ConfigurationError} for an unknown option or an invalid value, such as a `scenario` that no operation knows
 *   or a `now` that is not a time, or for a Node that is too old.
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
  const options = checked.options(given);
  const state = new State();
  const clock = new Clock(options.now === undefined ? undefined : new Date(options.now).getTime());
  const watchers = new Watchers();
  const deliveries = new Deliveries(
    options.webhook ?? {},
    clock,
    () => state.next(),
    () => watchers.changed(),
  );
  const settings = resolveSettings(options);
  const operations = new Operations(settings);
  const context = { state, clock, settings, operations, deliveries, watchers };
  const controls = createControls(context);
  const handle = createHandler(context, controls, options.onRequest);
  return Object.assign(controls, {
    fetch: createFetch(handle, (path) => operations.knows(path)),
    listen: async (given: ListenOptions = {}) => open(handle, checked.listen(given), { controls, watchers, settings }),
  });
}

/** Listens, with the console if it is wanted. Its code is loaded only then. */
async function open(handle: Handler, options: ListenOptions, watched: WatchedEmulator): Promise<EmulatorServer> {
  const { console = false, ...where } = options;
  if (!console) return listen(handle, where);
  const loading = import("./console/console.ts");
  await loadParts(loading);
  const { createConsole } = await loading;
  const page = createConsole(watched, { canShowPersonalData: isLoopbackHost(where.host ?? defaultHost) });
  try {
    return await listen(async (request) => page.respond(request) ?? handle(request), where, page.close);
  } catch (error) {
    page.close();
    throw error;
  }
}

interface ControlledParts {
  readonly state: State;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly deliveries: Deliveries;
  readonly watchers: Watchers;
}

/** Returns the members that control an emulator. They check their arguments. */
function createControls({ state, clock, operations, deliveries, watchers }: ControlledParts): EmulatorControls {
  const activate = (given: Given, times = Number.POSITIVE_INFINITY) => {
    const active = state.activate(given, times, () => watchers.changed());
    watchers.changed();
    return active;
  };
  return {
    get unused() {
      return state.unused;
    },
    get active() {
      return state.active;
    },
    requests: state.requests,
    bookings: state.bookings,
    deliveries: deliveries.history,
    clock,
    seedSearch(name = "domestic-oneway-full-service") {
      checked.search(name);
      return state.openSearch(name, clock.now());
    },
    use(scenario, options = {}) {
      const { name, operation, times } = checked.scenario(scenario, options, operations);
      return activate({ scenario: name, operation }, times);
    },
    script(target, response, options = {}) {
      const { times, delay = 0, eventDelay } = checked.script(options);
      const behaviour = checked.target(target, operations);
      if (typeof response !== "function") checkScripted(behaviour, response);
      if (eventDelay !== undefined) checkEventDelay(behaviour, response);
      const { name: operation } = behaviour.operation;
      return activate({ scenario: undefined, operation, response, delay, eventDelay }, times);
    },
    deliverTo(to, settings = {}) {
      deliveries.settings = { ...deliveries.settings, ...checked.webhook(to, settings) };
    },
    payout: async (payout = {}) => deliveries.payout(checked.payout(payout)),
    fire: async (event = "SUCCESS", options = {}) => deliveries.fire(event, checked.fire(event, options)),
    reset() {
      state.clear();
      clock.clear();
      deliveries.clear();
      watchers.cleared();
    },
  };
}
