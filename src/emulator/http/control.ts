import type { ApiErrorKind } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { field, isObject } from "../../shared/json.ts";
import { refuseUnknownNames } from "../../shared/unknown-names.ts";
import { quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import type { OperationName, ScenarioName } from "../catalogue/scenario-names.ts";
import type { PayoutRequest } from "../deliveries/types.ts";
import { own, unknownName } from "../names.ts";
import { isRefusal, refusal } from "../scripts/refusal.ts";
import { faults } from "../service/faults.ts";
import type { Operations } from "../service/operations.ts";
import type { Settings } from "../service/settings.ts";
import type { Emulator } from "../types.ts";
import { type EmulatedRequest, type EmulatedResponse, json } from "./messages.ts";

/** The prefix of the control routes, which steer the emulator from another process. */
export const controlPrefix = "/__emulator/";

/** The members of an emulator that control it. The control routes call them. */
export type EmulatorControls = Omit<Emulator, "fetch" | "listen">;

/** The parts of the emulator that the routes list, in addition to its controls. */
interface ControlledService {
  readonly operations: Operations;
  readonly settings: Settings;
}

/** Parsed JSON of any kind. */
type Input = unknown;

interface Route {
  /** The fields of its input. */
  readonly fields: readonly string[];
  readonly run: (emulator: EmulatorControls, input: Input, service: ControlledService) => unknown;
}

/** The routes by method and name. */
const routes: Readonly<Record<string, Route>> = {
  "GET searches": { fields: [], run: () => Object.keys(quoteSamples) },
  "POST searches": {
    fields: ["name"],
    run: (emulator, input) => emulator.seedSearch(searchName(text(input, "name"))),
  },
  "POST payouts": {
    fields: ["amount", "client_referenceId", "outcome", "plan"],
    run: (emulator, input) => emulator.payout(payoutRequest(input)),
  },
  "POST fire": { fields: ["outcome", "event"], run: fire },
  "POST scenarios": { fields: ["name", "operation", "times"], run: use },
  "POST withdraw": { fields: ["id"], run: withdraw },
  "GET scenarios": {
    fields: [],
    run: ({ active }, _, { operations, settings }) => ({
      active,
      everyRequest: settings.scenario,
      faults: Object.keys(faults),
      samples: operations.samples,
    }),
  },
  "POST scripts": { fields: ["operation", "response", "refusal", "times", "delay", "eventDelay"], run: script },
  "GET clock": { fields: [], run: ({ clock }) => ({ now: new Date(clock.now()).toISOString() }) },
  "POST clock": {
    fields: ["advance"],
    run: async ({ clock }, input) => {
      await clock.advance(number(input, "advance") ?? 0);
      return { now: new Date(clock.now()).toISOString() };
    },
  },
  "POST reset": { fields: [], run: (emulator) => emulator.reset() },
  "GET deliveries": { fields: [], run: (emulator) => emulator.deliveries },
  "GET requests": { fields: [], run: (emulator) => emulator.requests },
  "GET bookings": { fields: [], run: (emulator) => emulator.bookings },
  "GET unused": { fields: [], run: ({ unused }) => unused },
};

/** Handles a request to a control route. An invalid input is refused with HTTP 400 and the reason. */
export async function handleControl(
  emulator: EmulatorControls,
  { method, path, body }: EmulatedRequest,
  service: ControlledService,
): Promise<EmulatedResponse> {
  const name = `${method} ${path.slice(path.lastIndexOf(controlPrefix) + controlPrefix.length)}`;
  const route = own(routes, name);
  if (route === undefined) {
    const names = Object.keys(routes).join(", ");
    return json(404, {
      error: `The control routes are ${names}; with the console also GET events and GET events/personal.`,
    });
  }
  try {
    const input: unknown = body === "" ? {} : JSON.parse(body);
    refuseUnknownNames(name, "field", requireObject(input, "The body"), route.fields);
    return json(200, (await route.run(emulator, input, service)) ?? { done: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : "The input could not be read." });
  }
}

/** `use()` checks the name. */
function use(emulator: EmulatorControls, input: Input): object {
  return emulator.use((text(input, "name") ?? "") as ScenarioName, {
    operation: text(input, "operation"),
    times: number(input, "times"),
  });
}

/** `script()` checks the operation and the response, and `refusal()` the kind or code. */
function script(emulator: EmulatorControls, input: Input, { operations }: ControlledService): object {
  refuseBoth(input, "response", "refusal");
  const operation = text(input, "operation") ?? "";
  const reason = field(input, "refusal");
  const response = reason === undefined ? field(input, "response") : refusal(reason as ApiErrorKind);
  refuseMisspelt(operation, response, operations.named(operation)?.scripting.fields);
  return emulator.script(operation as OperationName, response as never, {
    times: number(input, "times"),
    delay: number(input, "delay"),
    eventDelay: number(input, "eventDelay"),
  });
}

/** Does what the compiler does for a script in TypeScript. The fields of an operation of the user are not known. */
function refuseMisspelt(operation: string, response: unknown, known: readonly string[] | undefined): void {
  if (known === undefined || !isObject(response) || isRefusal(response)) return;
  refuseUnknownNames(`The response of ${operation}`, "field", response, known);
}

function withdraw({ active }: EmulatorControls, input: Input): void {
  const id = number(input, "id");
  const found = active.find((each) => each.id === id);
  if (found === undefined) {
    throw new ConfigurationError(
      id === undefined
        ? "Pass the `id` of an active scenario or script. GET /__emulator/scenarios lists them."
        : `No scenario or script with the id ${id} is active. GET /__emulator/scenarios lists those that are.`,
    );
  }
  found.withdraw();
}

function fire(emulator: EmulatorControls, input: Input): unknown {
  refuseBoth(input, "event", "outcome");
  const event = field(input, "event");
  return emulator.fire(event === undefined ? payoutRequest(input).outcome : { ...requireObject(event, "event") });
}

function refuseBoth(input: Input, one: string, other: string): void {
  if (field(input, one) === undefined || field(input, other) === undefined) return;
  throw new ConfigurationError(`Pass either \`${one}\` or \`${other}\`.`);
}

function requireObject(value: unknown, name: string): object {
  if (isObject(value)) return value;
  throw new ConfigurationError(`${name} must be a JSON object.`);
}

/** Reads the fields of a payout. `payout()` itself checks the names in them. */
function payoutRequest(input: Input): PayoutRequest {
  return {
    amount: number(input, "amount"),
    client_referenceId: text(input, "client_referenceId"),
    outcome: text(input, "outcome") as PayoutRequest["outcome"],
    plan: text(input, "plan") as PayoutRequest["plan"],
  };
}

function searchName(name: string | undefined): SearchName | undefined {
  if (name === undefined || isSearchName(name)) return name;
  throw new ConfigurationError(unknownName("search", name, Object.keys(quoteSamples)));
}

function isSearchName(name: string): name is SearchName {
  return Object.hasOwn(quoteSamples, name);
}

function text(input: Input, name: string): string | undefined {
  const value = field(input, name);
  if (value === undefined || typeof value === "string") return value;
  throw new ConfigurationError(`\`${name}\` must be a string.`);
}

function number(input: Input, name: string): number | undefined {
  const value = field(input, name);
  if (value === undefined || typeof value === "number") return value;
  throw new ConfigurationError(`\`${name}\` must be a number.`);
}
