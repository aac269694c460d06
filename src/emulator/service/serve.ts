import { field, isObject } from "../../shared/json.ts";
import type { EmulatedRequest, EmulatedResponse } from "../http/messages.ts";
import type { Clock } from "../state/clock.ts";
import type { State } from "../state/state.ts";
import type { Behaviour } from "./behaviour.ts";
import type { FaultContext } from "./faults.ts";
import { type BrokenRule, type Caller, refusal } from "./refusals.ts";
import { chooseScenario } from "./scenarios.ts";
import type { Settings } from "./settings.ts";

/** Everything that the service needs to respond. */
export interface ServiceContext {
  readonly state: State;
  readonly clock: Clock;
  readonly settings: Settings;
}

/**
 * Serves a request: checks method, content type and credentials (§5), chooses the scenario, checks the body (§4),
 * responds.
 */
export async function serve(
  behaviour: Behaviour,
  request: EmulatedRequest,
  body: unknown,
  { state, clock, settings }: ServiceContext,
): Promise<EmulatedResponse> {
  const { area, name } = behaviour.operation;
  const { signal, headers } = request;
  const caller: Caller = { area, clientId: headers.get("client-id") ?? "" };
  const refused = refuseRequest(request, caller);
  // A request that is not accepted uses no scenario up.
  const pending = refused === undefined ? state.scenarios : [];
  const { unknown, fault, amount, sample: scenario } = chooseScenario(behaviour, headers, pending, settings.scenario);
  if (unknown !== undefined) {
    return refusal(caller, 400, `The emulator knows no scenario "${unknown}" for ${name}.`);
  }
  const faultContext: FaultContext = { ...caller, signal, amount, retryAfter: settings.retryAfter };
  if (fault !== undefined && "instead" in fault) return fault.instead(faultContext);
  if (fault !== undefined && "refuse" in fault) return withFailureStatus(fault.refuse(faultContext), settings);

  const response = withFailureStatus(
    refused ??
      (await refuseBody(behaviour, body, caller)) ??
      (await behaviour.respond({ body: isObject(body) ? body : {}, scenario, state, clock, settings, signal })),
    settings,
  );
  return fault === undefined ? response : fault.after(response, faultContext);
}

/** Applies the option `failureStatus`. A success keeps its status, which is 200. */
function withFailureStatus(response: EmulatedResponse, { failureStatus }: Settings): EmulatedResponse {
  if (failureStatus === undefined) return response;
  return { ...response, status: failureStatus === 200 ? 200 : (failureCode(response) ?? response.status) };
}

/** Returns the status code in the body of a refusal, in the style of either area (§1). */
function failureCode({ body }: EmulatedResponse): number | undefined {
  if (typeof body !== "string") return undefined;
  const parsed: unknown = JSON.parse(body);
  const status = field(parsed, "status");
  if (typeof status === "string" && status.toUpperCase() === "SUCCESS") return undefined;
  const code = Number(field(parsed, "status_code") ?? field(parsed, "statusCode"));
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : undefined;
}

/** Refuses anything but a POST of JSON with both credentials (§1, §5). */
function refuseRequest({ method, headers }: EmulatedRequest, caller: Caller): EmulatedResponse | undefined {
  if (method !== "POST") return refusal(caller, 405, "Method not allowed", { allow: "POST" });
  if (!/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
    return refusal(caller, 415, "Content-Type must be application/json");
  }
  const secret = headers.get("client-secret");
  if (caller.clientId === "" || !secret || secret === "wrong-secret") {
    return refusal(caller, 401, "Authentication failed.");
  }
  if (caller.clientId === "blocked-ip") return refusal(caller, 403, "IP address is not registered.");
  return undefined;
}

/** Refuses a body that the operation's `params` do not accept, or that lacks a field that the client fills in (§4). */
async function refuseBody(
  { operation, refuseBody: refuse }: Behaviour,
  body: unknown,
  caller: Caller,
): Promise<EmulatedResponse | undefined> {
  if (typeof body === "string") return refusal(caller, 400, "The body is not valid JSON");
  const result = await operation.params["~standard"].validate(body);
  const broken: BrokenRule[] = (result.issues ?? [])
    // The service ignores unknown fields; the client's schema refuses them.
    .filter((issue) => !("code" in issue && issue.code === "unrecognized_keys"))
    .map(({ path = [], message }) => ({ path: path.map(keyOf).join("."), message }));
  if (broken.length > 0) return refuse(broken, caller, body);
  const missing = operation.autofill.map((name) => requiredFields[name]).filter(({ read }) => !isText(read(body)));
  return missing.length > 0 ? refuse(missing, caller, body) : undefined;
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
