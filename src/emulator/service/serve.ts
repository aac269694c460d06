import { field, isObject } from "../../shared/json.ts";
import type { EmulatedRequest, EmulatedResponse } from "../http/messages.ts";
import { cutName } from "../names.ts";
import type { Clock } from "../state/clock.ts";
import type { State } from "../state/state.ts";
import type { Behaviour, Call } from "./behaviour.ts";
import { chooseScenario, nameOf } from "./choose-scenario.ts";
import { withFailureStatus } from "./failure-status.ts";
import type { FaultContext } from "./faults.ts";
import type { Operations } from "./operations.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { type BrokenRule, type Caller, refuse, refuseAs } from "./refusals.ts";
import { resolveScenario } from "./scenarios.ts";
import type { Settings } from "./settings.ts";

/** Everything that the service needs to respond. */
export interface ServiceContext {
  readonly state: State;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly operations: Operations;
}

/**
 * Serves a request: checks method, content type and credentials (§5), chooses the script or the scenario, checks the
 * body (§4), responds.
 *
 * @param onMeet - Called with the name of the scenario or script that the request meets.
 */
export async function serve(
  behaviour: Behaviour,
  request: EmulatedRequest,
  received: ReceivedRequest,
  { state, clock, settings }: ServiceContext,
  onMeet: (name: string | undefined) => void,
): Promise<EmulatedResponse> {
  const { area, name } = behaviour.operation;
  const { signal, headers } = request;
  const { body } = received;
  const caller: Caller = { area, clientId: headers.get("client-id") ?? "" };
  const refused = refuseRequest(request, caller);
  const refusedBody = once(async () => refused ?? (await refuseBody(behaviour, body, caller)));
  const callFor = (sample?: string): Call<unknown> => ({
    body: isObject(body) ? body : {},
    ...{ scenario: sample, state, clock, settings, signal },
  });
  const header = headers.get("x-emulator-scenario");
  const named = header === null ? undefined : resolveScenario(header, behaviour);
  if (header !== null && named === undefined) {
    return refuse(caller, 400, `The emulator knows no scenario "${cutName(header)}" for ${name}.`);
  }
  const active = refused === undefined ? state.active : [];
  const forScript = async () =>
    (await refusedBody()) ? undefined : { behaviour, call: callFor(), caller, request: received };
  const chosen = await chooseScenario({ behaviour, named, active, standing: settings.scenario, forScript });
  onMeet(nameOf(chosen));
  const { fault, amount, sample } = chosen.scenario ?? {};
  const { echo } = behaviour.operation;
  const faultContext: FaultContext = { ...caller, echo, signal, amount, retryAfter: settings.retryAfter };
  if (fault !== undefined && "instead" in fault) return fault.instead(faultContext);
  if (fault !== undefined && "refuse" in fault) return withFailureStatus(fault.refuse(faultContext), settings);

  const respond = async () => (await refusedBody()) ?? (await behaviour.respond(callFor(sample)));
  const response = chosen.scripted ?? withFailureStatus(await respond(), settings);
  return fault === undefined ? response : fault.after(response, faultContext);
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
