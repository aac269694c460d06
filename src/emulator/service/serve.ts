import type { Area } from "../../options.ts";
import { field } from "../../shared/json.ts";
import { aiStream, aiWhole } from "../ai/ai.ts";
import type { Behaviour, Malformed, Settings } from "./behaviour.ts";
import type { Clock } from "../state/clock.ts";
import { type FaultContext, faults } from "./faults.ts";
import { booking } from "../flights/book.ts";
import { quoting, ruling } from "../flights/flights.ts";
import { type Answer, json } from "../http/response.ts";
import { type Refused, refusal } from "./refusals.ts";
import { asObject } from "../objects.ts";
import { chooseScenario, resolveScenario } from "./scenarios.ts";
import type { State } from "../state/state.ts";
import { verification } from "../verification/verification.ts";

/** The operation table (§4), each entry with its behaviour. */
export const behaviours: readonly Behaviour[] = [verification, aiWhole, aiStream, quoting, ruling, booking];

/** A request, read. */
export interface EmulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** What the service needs to answer. */
export interface ServiceContext {
  readonly state: State;
  readonly clock: Clock;
  readonly settings: Settings & {
    readonly pathPrefixes: Readonly<Record<Area, string>>;
    readonly scenario: string | undefined;
    readonly failureStatus: "asCode" | 200 | undefined;
  };
}

/** The operation that a path belongs to, whatever the base address in front of it. */
export function findBehaviour(path: string, body: unknown, { settings }: ServiceContext): Behaviour | undefined {
  return behaviours.find(({ operation, accepts }) => {
    const prefix = settings.pathPrefixes[operation.area];
    return path.endsWith(`/${prefix === "" ? "" : `${prefix}/`}${operation.path}`) && accepts(body);
  });
}

/** The way of a request: method and content type, credentials (§5), scenario, rules (§4), behaviour. */
export async function serve(
  behaviour: Behaviour,
  request: EmulatedRequest,
  body: unknown,
  { state, clock, settings }: ServiceContext,
): Promise<Answer> {
  const { area, name } = behaviour.operation;
  const { signal, headers } = request;
  const who: Refused = { area, clientId: headers.get("client-id") ?? "" };
  const refused = refuseRequest(request, who);
  // A request that is not accepted uses no scenario up.
  const pending = refused === undefined ? state.scenarios : [];
  const asked = chooseScenario(behaviour, headers, pending, settings.scenario);
  if (asked.unknown !== undefined) {
    return refusal(who, 400, `The emulator knows no scenario "${asked.unknown}" for ${name}.`);
  }
  const { fault, amount, sample: scenario } = asked;
  const faultContext: FaultContext = { ...who, signal, amount, retryAfterSeconds: settings.retryAfterSeconds };
  if (fault !== undefined && "instead" in fault) return fault.instead(faultContext);
  if (fault !== undefined && "refuse" in fault) return underStatus(fault.refuse(faultContext), settings);

  const answer =
    refused ??
    (await refuseBody(behaviour, body, who)) ??
    (await behaviour.answer({ body: asObject(body), scenario, state, clock, settings, signal }));
  const given = underStatus(answer, settings);
  return fault === undefined ? given : fault.after(given, faultContext);
}

/** A success is under 200 in any case. */
function underStatus(answer: Answer, { failureStatus }: ServiceContext["settings"]): Answer {
  if (failureStatus === undefined) return answer;
  return { ...answer, status: failureStatus === 200 ? 200 : (codeOfFailure(answer) ?? answer.status) };
}

/** The status code in the body of a refusal, in the style of either area (§1). */
function codeOfFailure({ body }: Answer): number | undefined {
  if (typeof body !== "string") return undefined;
  const parsed: unknown = JSON.parse(body);
  const status = field(parsed, "status");
  if (typeof status === "string" && status.toUpperCase() === "SUCCESS") return undefined;
  const code = Number(field(parsed, "status_code") ?? field(parsed, "statusCode"));
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : undefined;
}

/** §1, §5: POST, JSON, both credentials. */
function refuseRequest({ method, headers }: EmulatedRequest, who: Refused): Answer | undefined {
  if (method !== "POST") return refusal(who, 405, "Method not allowed", { allow: "POST" });
  if (!/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
    return refusal(who, 415, "Content-Type must be application/json");
  }
  const secret = headers.get("client-secret");
  if (who.clientId === "" || !secret || secret === "wrong-secret") return refusal(who, 401, "Authentication failed.");
  if (who.clientId === "blocked-ip") return refusal(who, 403, "IP address is not registered.");
  return undefined;
}

/** The operation's own `params`, less their refusal of unknown fields, and what the client fills in (§4). */
async function refuseBody(
  { operation, malformed }: Behaviour,
  body: unknown,
  who: Refused,
): Promise<Answer | undefined> {
  if (typeof body === "string") return refusal(who, 400, "The body is not valid JSON");
  const result = await operation.params["~standard"].validate(body);
  const issues: Malformed[] = (result.issues ?? [])
    .filter((issue) => !("code" in issue && issue.code === "unrecognized_keys"))
    .map(({ path = [], message }) => ({ path: path.map(keyOf).join("."), message }));
  if (issues.length > 0) return malformed(issues, who, body);
  const missing = operation.autofill.map((field) => requiredFields[field]).filter(({ read }) => !isText(read(body)));
  return missing.length > 0 ? malformed(missing, who, body) : undefined;
}

/** What the client fills in, and the service requires. */
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

/** Whether any operation knows a scenario of that name. */
export function isScenario(name: string): boolean {
  return behaviours.some((behaviour) => resolveScenario(name, behaviour) !== undefined);
}

/** Every fault, then every sample. */
export function scenarioNames(): readonly string[] {
  return [...new Set([...Object.keys(faults), ...behaviours.flatMap(({ scenarios }) => scenarios)])];
}

/** A path that belongs to nothing. */
export const notFound = (): Answer => json(404, { status: "FAILED", status_code: "404", message: "No such operation" });
