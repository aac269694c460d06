import { ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { refuseUnknownNames } from "../../shared/unknown-names.ts";
import { quoteSamples } from "../catalogue/quotes.ts";
import { own } from "../names.ts";
import { commonNames } from "../rules/response.ts";
import type { Operations } from "../service/operations.ts";
import type { Emulator } from "../types.ts";
import { controlPrefix, type EmulatedRequest, type EmulatedResponse, json } from "./messages.ts";

/** The members of an emulator that control it. The control routes call them. */
export type EmulatorControls = Omit<Emulator, "fetch" | "listen">;

/** The input of a route. Its fields can be of any type, which `never` lets all that takes one accept: it checks them. */
type Input = Readonly<Record<string, never>>;

type Run = (emulator: EmulatorControls, input: Input, operations: Operations) => unknown;

/** The routes by method and name, with the fields of their inputs. */
const routes: Readonly<Record<string, readonly [fields: readonly string[], run: Run]>> = {
  "GET rules": [[], ({ active }, _, { samples }) => ({ active, names: { "*": commonNames, ...samples } })],
  "POST rules": [["operation", "response", "times", "delay", "eventDelay"], on],
  "POST withdraw": [["id"], withdraw],
  "GET unused": [[], ({ unused }) => unused],
  "GET searches": [[], () => Object.keys(quoteSamples)],
  "POST searches": [["name"], (emulator, { name }) => emulator.seedSearch(name)],
  "POST payouts": [["amount", "client_referenceId", "outcome", "plan"], (emulator, input) => emulator.payout(input)],
  "POST fire": [["outcome", "event"], fire],
  "GET clock": [[], now],
  "POST clock": [["advance"], (emulator, { advance = 0 }) => emulator.clock.advance(advance).then(() => now(emulator))],
  "POST reset": [[], (emulator) => emulator.reset()],
  "GET deliveries": [[], ({ deliveries }) => deliveries],
  "GET requests": [[], ({ requests }) => requests],
  "GET bookings": [[], ({ bookings }) => bookings],
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
  const [fields, run] = route;
  try {
    return json(200, (await run(emulator, readInput(name, body, fields), operations)) ?? { done: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : "The input could not be read." });
  }
}

function readInput(route: string, body: string, fields: readonly string[]): Input {
  const input: unknown = body === "" ? {} : JSON.parse(body);
  if (!isObject(input)) throw new ConfigurationError("The body must be a JSON object.");
  refuseUnknownNames(route, "field", input, fields);
  return input as Input;
}

/** `on()` checks the operation and the response. The fields of a body are checked here, as the compiler does. */
function on(emulator: EmulatorControls, { response, ...options }: Input, operations: Operations) {
  const { operation = "*", ...ruleOptions }: { readonly operation?: "*" } = options;
  const fields = operations.target(operation)?.fields;
  if (fields !== undefined && isObject(response)) {
    refuseUnknownNames(`The response of ${operation}`, "field", response, fields);
  }
  return emulator.on(operation, response as never, ruleOptions);
}

function withdraw({ active }: EmulatorControls, { id }: Input): void {
  const found = active.find((rule) => rule.id === id);
  if (found === undefined) {
    const problem =
      typeof id === "number" ? `No rule with the id ${id} is active.` : "Pass the `id` of an active rule.";
    throw new ConfigurationError(`${problem} GET /__emulator/rules lists them.`);
  }
  found.withdraw();
}

function fire(emulator: EmulatorControls, { event, outcome }: Input): unknown {
  if (event === undefined) return emulator.fire(outcome);
  if (outcome !== undefined) throw new ConfigurationError("Pass either `event` or `outcome`.");
  if (!isObject(event)) throw new ConfigurationError("event must be a JSON object.");
  return emulator.fire(event);
}

function now({ clock }: EmulatorControls): { readonly now: string } {
  return { now: new Date(clock.now()).toISOString() };
}
