import { toKey } from "../../shared/issue-list.ts";
import { field, isObject, stringOf } from "../../shared/json.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { quoteNames } from "../../shared/unknown-names.ts";
import { isCredentialHeader } from "../../transport/redact.ts";
import type { Feed } from "../console/console.ts";
import { type EmulatorControls, handleControl } from "../http/control.ts";
import { controlPrefix, type EmulatedRequest, type EmulatedResponse, type Handler, hasJson } from "../http/messages.ts";
import type { RequestLine, Settings } from "../options.ts";
import { type Caller, type Refused, refuse, refuseFields } from "../rules/refusal.ts";
import { readName } from "../rules/response.ts";
import { meet, Rule, type Rules } from "../rules/rules.ts";
import type { Clock } from "../state/clock.ts";
import { ids } from "../state/ids.ts";
import type { ReceivedRequest, State } from "../state/state.ts";
import type { Behaviour, RuledRequest } from "./behaviour.ts";
import type { Operations } from "./operations.ts";

interface ServiceContext {
  readonly state: State;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly operations: Operations;
  readonly feeds: ReadonlySet<Feed>;
  readonly onRequest: ((line: RequestLine) => unknown) | undefined;
}

/** Returns the handler of all requests, from a socket or from `emulator.fetch`. It records and logs each of them. */
export function createHandler(context: ServiceContext, controls: EmulatorControls): Handler {
  const { operations, onRequest } = context;
  return async (request) => {
    const startedAt = performance.now();
    const body = parseBody(request.body);
    const behaviour = operations.find(request.path, body);
    let status: number | undefined;
    try {
      const response = request.path.includes(controlPrefix)
        ? await handleControl(controls, request, operations)
        : await respond(request, behaviour, body, context);
      status = response.status;
      return response;
    } finally {
      const { method, path } = request;
      const duration = Math.round(performance.now() - startedAt);
      const line = { method, operation: behaviour?.operation.name ?? path, status, duration };
      // A log that fails changes no response.
      ignoreRejection((async () => onRequest?.(line))());
    }
  };
}

async function respond(
  request: EmulatedRequest,
  behaviour: Behaviour | undefined,
  body: unknown,
  context: ServiceContext,
): Promise<EmulatedResponse> {
  const { method, path } = request;
  const shown = [...request.headers].map(([name, value]) => [name, isCredentialHeader(name) ? "[redacted]" : value]);
  const { "client-secret": _secret, ...headers }: Record<string, string> = Object.fromEntries(shown);
  const operation = behaviour?.operation.name;
  const received = { operation, method, path, headers, body, receivedAt: context.clock.now() };
  context.state.requests.add(received, request.body.length + path.length + JSON.stringify(headers).length);
  context.state.received += 1;
  const requestId = ids.request(context.state.received);
  const exchanges = [...context.feeds].map((feed) => feed.observe(received));
  try {
    const met = behaviour && (await choose(behaviour, request, received, context));
    for (const each of exchanges) each.meets(met?.name);
    const made = (await met?.respond()) ?? context.operations.refuseUnknown(path);
    const response: EmulatedResponse = { ...made, headers: { "x-request-id": requestId, ...made.headers } };
    return exchanges.reduce((sent, each) => each.isSent(sent), response);
  } catch (error) {
    for (const each of exchanges) each.isDropped(request.signal.aborted);
    throw error;
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Checks method, content type and credentials (§5), and chooses the rules. The response checks the body (§4). */
async function choose(
  behaviour: Behaviour,
  request: EmulatedRequest,
  received: ReceivedRequest,
  { state, rules, clock, settings }: ServiceContext,
): ReturnType<typeof meet> {
  const { area, name } = behaviour.operation;
  const { signal, headers } = request;
  const { body } = received;
  const clientId = stringOf(field(field(body, "clientData"), "client_id")) || (headers.get("client-id") ?? "");
  const caller = { area, clientId };
  const header = headers.get("x-emulator-response");
  const named = header === null ? undefined : readName(header, behaviour.samples);
  const refused =
    header !== null && named === undefined
      ? refuse(400, `The emulator knows no response "${quoteNames([header])}" of ${name}.`)
      : refuseRequest(request);
  let checking: Promise<Refused | undefined> | undefined;
  const ruled: RuledRequest = {
    ...{ behaviour, received, body: isObject(body) ? body : {}, sample: undefined, caller },
    ...{ state, clock, until: clock.waits(), settings, signal },
    refusal: () => {
      checking ??= Promise.resolve(refused ?? refuseBody(behaviour, body, caller));
      return checking;
    },
  };
  // A request that names its response meets no other, and one that is not accepted uses no rule up.
  const isNamed = named?.respond !== undefined;
  const own = named === undefined ? [] : [new Rule(0, { operation: "*", response: header })];
  return meet([...own, ...(refused === undefined && !isNamed ? rules.inOrder : [])], ruled);
}

/** Refuses anything but a POST of JSON with both credentials (§1, §5). */
function refuseRequest(request: EmulatedRequest): Refused | undefined {
  const { method, headers } = request;
  if (method !== "POST") return refuse(405, "Method not allowed", { headers: { allow: "POST" } });
  if (!hasJson(request)) return refuse(415, "Content-Type must be application/json");
  const [clientId, secret] = [headers.get("client-id"), headers.get("client-secret")];
  if (!clientId || !secret || secret === "wrong-secret") return refuse("authentication");
  return clientId === "blocked-ip" ? refuse("permission") : undefined;
}

/** Refuses a body that the operation's `params` do not accept, or that lacks a field that the client fills in (§4). */
async function refuseBody({ operation, refuseBody = refuseFields }: Behaviour, body: unknown, caller: Caller) {
  if (typeof body === "string") return refuse(400, "The body must be a JSON object");
  const result = await operation.params["~standard"].validate(body);
  const broken = (result.issues ?? [])
    // The service ignores unknown fields; the client's schema refuses them.
    .filter((issue) => !("code" in issue && issue.code === "unrecognized_keys"))
    .map(({ path = [], message }) => ({ path: path.map(toKey).join(".") || "body", message }));
  const missing = operation.autofill
    .map((name) => filledIn[name])
    .filter((path) => stringOf(path.reduce<unknown>(field, body)) === "")
    .map((path) => ({ path: path.join("."), message: "is missing" }));
  const first = broken.length > 0 ? broken : missing;
  return first.length > 0 ? refuseBody(first, caller) : undefined;
}

/** The paths of the fields that the client fills in and the service requires. */
const filledIn = { client_referenceId: ["client_referenceId"], clientData: ["clientData", "client_id"] };
