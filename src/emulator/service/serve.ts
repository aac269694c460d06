import { field, isObject } from "../../shared/json.ts";
import type { EmulatedRequest, EmulatedResponse } from "../http/messages.ts";
import { cutName } from "../names.ts";
import { meet, type RuledRequest } from "../rules/meet.ts";
import { readName } from "../rules/response.ts";
import { Rule } from "../rules/rule.ts";
import type { Rules } from "../rules/rules.ts";
import type { Clock } from "../state/clock.ts";
import type { State } from "../state/state.ts";
import type { Behaviour, Call } from "./behaviour.ts";
import type { Operations } from "./operations.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { type BrokenRule, type Caller, refuse, refuseAs, withFailureStatus } from "./refusals.ts";
import type { Settings } from "./settings.ts";

/** Everything that the service needs to respond. */
export interface ServiceContext {
  readonly state: State;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly operations: Operations;
}

/**
 * Serves a request: checks method, content type and credentials (§5), chooses the rules, checks the body (§4), responds.
 *
 * @param onMeet - Called with the names of the rules that the request meets.
 */
export async function serve(
  behaviour: Behaviour,
  request: EmulatedRequest,
  received: ReceivedRequest,
  { state, rules, clock, settings }: ServiceContext,
  onMeet: (name: string | undefined) => void,
): Promise<EmulatedResponse> {
  const { area, name } = behaviour.operation;
  const { signal, headers } = request;
  const { body } = received;
  const caller: Caller = { area, clientId: headers.get("client-id") ?? "" };
  const header = headers.get("x-emulator-response");
  const named = header === null ? undefined : readName(header, behaviour.samples);
  if (header !== null && named === undefined) {
    return refuse(caller, 400, `The emulator knows no response "${cutName(header)}" of ${name}.`);
  }
  const refused = refuseRequest(request, caller);
  const refusal = once(async () => refused ?? (await refuseBody(behaviour, body, caller)));
  const call: Call<unknown> = {
    body: isObject(body) ? body : {},
    ...{ sample: undefined, state, clock, settings, signal },
  };
  const ruled: RuledRequest = {
    ...{ behaviour, caller, received, call },
    isAccepted: async () => (await refusal()) === undefined,
    respond: async (sample) =>
      withFailureStatus((await refusal()) ?? (await behaviour.respond({ ...call, sample })), settings),
  };
  // A request that names its response meets no other, and one that is not accepted uses no rule up.
  const isNamed = named !== undefined && !("fault" in named && "after" in named.fault);
  const own = header === null ? [] : [new Rule(0, { operation: "*", response: header })];
  const met = await meet([...own, ...(refused === undefined && !isNamed ? rules.inOrder : [])], ruled);
  onMeet(met.name);
  return met.respond();
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Refuses anything but a POST of JSON with both credentials (§1, §5). */
function refuseRequest({ method, headers }: EmulatedRequest, caller: Caller): EmulatedResponse | undefined {
  if (method !== "POST") return refuse(caller, 405, "Method not allowed", { allow: "POST" });
  if (!/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
    return refuse(caller, 415, "Content-Type must be application/json");
  }
  const secret = headers.get("client-secret");
  if (caller.clientId === "" || !secret || secret === "wrong-secret") {
    return refuseAs("authentication", caller);
  }
  if (caller.clientId === "blocked-ip") return refuseAs("permission", caller);
  return undefined;
}

/** Refuses a body that the operation's `params` do not accept, or that lacks a field that the client fills in (§4). */
async function refuseBody(
  { operation, refuseBody: refuseBroken }: Behaviour,
  body: unknown,
  caller: Caller,
): Promise<EmulatedResponse | undefined> {
  if (typeof body === "string") return refuse(caller, 400, "The body is not valid JSON");
  const result = await operation.params["~standard"].validate(body);
  const broken: BrokenRule[] = (result.issues ?? [])
    // The service ignores unknown fields; the client's schema refuses them.
    .filter((issue) => !("code" in issue && issue.code === "unrecognized_keys"))
    .map(({ path = [], message }) => ({ path: path.map(keyOf).join("."), message }));
  if (broken.length > 0) return refuseBroken(broken, caller, body);
  const missing = operation.autofill.map((name) => requiredFields[name]).filter(({ read }) => !isText(read(body)));
  return missing.length > 0 ? refuseBroken(missing, caller, body) : undefined;
}

/** The fields that the client fills in and the service requires. */
const requiredFields = {
  client_referenceId: {
    path: "client_referenceId",
    message: "is missing",
    read: (body: unknown) => field(body, "client_referenceId"),
  },
  clientData: {
    path: "clientData.client_id",
    message: "is missing",
    read: (body: unknown) => field(field(body, "clientData"), "client_id"),
  },
};

const isText = (value: unknown) => typeof value === "string" && value !== "";

function keyOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === "object" ? step.key : step);
}
