import { ConfigurationError } from "../../errors/request.ts";
import { field, isObject } from "../../shared/json.ts";
import { refuseUnknownNames } from "../../shared/unknown-names.ts";
import { quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import type { PayoutRequest } from "../deliveries/types.ts";
import { own, unknownName } from "../names.ts";
import { commonNames } from "../rules/response.ts";
import type { Operations } from "../service/operations.ts";
import type { Emulator } from "../types.ts";
import { controlPrefix, type EmulatedRequest, type EmulatedResponse, json } from "./messages.ts";

/** The members of an emulator that control it. The control routes call them. */
export type EmulatorControls = Omit<Emulator, "fetch" | "listen">;

/** Parsed JSON of any kind. */
type Input = unknown;

interface Route {
  /** The fields of its input. */
  readonly fields: readonly string[];
  readonly run: (emulator: EmulatorControls, input: Input, operations: Operations) => unknown;
}

/** The routes by method and name. */
const routes: Readonly<Record<string, Route>> = {
  "GET rules": {
    fields: [],
    run: ({ active }, _, { samples }) => ({ active, names: { "*": commonNames, ...samples } }),
  },
  "POST rules": { fields: ["operation", "response", "times", "delay", "eventDelay"], run: on },
  "POST withdraw": { fields: ["id"], run: withdraw },
  "GET unused": { fields: [], run: ({ unused }) => unused },
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
};

/** Handles a request to a control route. An invalid input is refused with HTTP 400 and the reason. */
export async function handleControl(
  emulator: EmulatorControls,
  { method, path, body }: EmulatedRequest,
  operations: Operations,
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
    return json(200, (await route.run(emulator, input, operations)) ?? { done: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : "The input could not be read." });
  }
}

/** `on()` checks the operation and the response. The fields of a body are checked here, as the compiler does. */
function on(emulator: EmulatorControls, input: Input, operations: Operations): object {
  const operation = text(input, "operation") ?? "*";
  const response = field(input, "response");
  const fields = operations.named(operation)?.bodies.fields;
  if (fields !== undefined && isObject(response)) {
    refuseUnknownNames(`The response of ${operation}`, "field", response, fields);
  }
  return emulator.on(operation as "*", response as never, {
    times: number(input, "times"),
    delay: number(input, "delay"),
    eventDelay: number(input, "eventDelay"),
  });
}

function withdraw({ active }: EmulatorControls, input: Input): void {
  const id = number(input, "id");
  const found = active.find((rule) => rule.id === id);
  if (found === undefined) {
    throw new ConfigurationError(
      id === undefined
        ? "Pass the `id` of an active rule. GET /__emulator/rules lists them."
        : `No rule with the id ${id} is active. GET /__emulator/rules lists those that are.`,
    );
  }
  found.withdraw();
}

function fire(emulator: EmulatorControls, input: Input): unknown {
  const event = field(input, "event");
  if (event === undefined) return emulator.fire(payoutRequest(input).outcome);
  if (field(input, "outcome") !== undefined) throw new ConfigurationError("Pass either `event` or `outcome`.");
  return emulator.fire({ ...requireObject(event, "event") });
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
