import type { ServerResponse } from "node:http";
import { expect } from "vitest";
import type { CallName } from "../../../src/cli/doctor/live/calls.ts";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { serviceapi } from "../../support/command.ts";
import { type Received, startServer } from "../../support/server.ts";

/** The end of a run as a user sees it. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings that pass every check. Names and values are not in any output. */
export const credentials = { SERVICEAPI_CLIENT_ID: "client-of-mine", SERVICEAPI_CLIENT_SECRET: "secret-of-mine" };

/** Runs the command in a separate process, with nothing of this machine's settings but what Node needs. */
export async function doctor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = "",
): Promise<Outcome> {
  return await serviceapi(["doctor", ...args], { env, stdin });
}

/** Starts a server that responds to everything with a status and headers. */
export async function service(status = 404, headers: Record<string, string> = {}) {
  const server = await startServer((response) => response.writeHead(status, headers).end());
  return { ...server, env: { ...credentials, SERVICEAPI_BASE_URL: server.url } };
}

/** A check of the JSON report. */
interface ReportedCheck {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly advice?: string;
}

/** An assumption of the JSON report. */
interface ReportedAssumption {
  readonly id: string;
  readonly aspect: string;
  readonly seen: string;
  readonly evidence: readonly string[];
}

/** The parsed report of a run with `--json`. */
export interface JsonReport {
  readonly ok: boolean;
  readonly checks: readonly ReportedCheck[];
  readonly calls?: readonly { readonly name: CallName; readonly state: string; readonly kind: string | null }[];
  readonly assumptions?: readonly ReportedAssumption[];
}

/** Runs the command with `--json`, and returns its report. */
export async function report(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome & { readonly json: JsonReport }> {
  const outcome = await doctor([...args, "--json"], env);
  return { ...outcome, json: JSON.parse(outcome.stdout) };
}

/** Returns the check with a name. */
export function check({ checks }: JsonReport, name: string): ReportedCheck {
  return checks.find((each) => each.name === name) ?? expect.fail(`no check is called ${name}`);
}

/** Returns the states of the checks by their names. */
export function states({ checks }: JsonReport): Readonly<Record<string, string>> {
  return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
}

/** Returns the assumptions with a verdict, such as `A1.statusWord`. */
export function seenAs({ assumptions = [] }: JsonReport, verdict: string): readonly string[] {
  return assumptions
    .filter(({ seen }) => seen === verdict)
    .map(({ id, aspect }) => `${id}.${aspect}`)
    .sort();
}

/** A response on its way from the emulator. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Rewrites a response. If it returns undefined, it has written to `response` itself. */
export type Rewrite = (reply: Reply, response: ServerResponse, sent: Received) => Reply | undefined;

/** A service that differs from the document: what it rewrites, by the call. */
export type Dialect = Readonly<Partial<Record<CallName, Rewrite>>>;

/** Serves the emulator in a dialect, and returns its URL and a flight search. */
export async function serve(dialect: Dialect = {}) {
  const emulator = createEmulator({ pace: 0 });
  const { trace_id, token } = emulator.seedSearch();
  const server = await startServer(async (response, sent) => {
    if (sent.method !== "POST") return void response.writeHead(404).end();
    // The second published form of the AI path.
    const path = sent.path.replace(/^\/partner(?=\/)/, "");
    const came = await emulator.fetch(`https://emulator.example${path}`, {
      method: "POST",
      headers: { ...(sent.headers as Record<string, string>) },
      body: sent.body,
    });
    const reply = { status: came.status, headers: Object.fromEntries(came.headers), text: await came.text() };
    const rewrite = dialect[callOf(sent)];
    const rewritten = rewrite === undefined ? reply : rewrite(reply, response, sent);
    if (rewritten === undefined) return;
    response.writeHead(rewritten.status, rewritten.headers).end(rewritten.text);
  });
  return { server, url: server.url, env: { ...credentials, SERVICEAPI_BASE_URL: server.url }, trace_id, token };
}

function callOf({ path, body }: Received): CallName {
  if (path.includes("fare_quote")) return "quote";
  if (path.includes("fare_rule")) return "rules";
  const { stream, vpa_mobile } = JSON.parse(body);
  if (path.includes("create-response")) return stream === true ? "stream" : "ask";
  return vpa_mobile === "12345" ? "refusal" : "verify";
}

/** A rewrite of the JSON of a body. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of known form
export type Edit = (body: any) => object;

/** Returns a rewrite that edits the JSON body, and may change status and headers. */
export function edited(edit: Edit, changes: Partial<Reply> = {}): Rewrite {
  return (reply) => ({ ...reply, ...changes, text: JSON.stringify(edit(JSON.parse(reply.text))) });
}

/** Returns a rewrite into another response. */
export function replaced(status: number, body: object | string, headers: Record<string, string> = {}): Rewrite {
  const isJson = typeof body === "object";
  const type = { "content-type": isJson ? "application/json" : "text/html" };
  return () => ({ status, headers: { ...type, ...headers }, text: isJson ? JSON.stringify(body) : body });
}

/** Returns the events of a stream over SSE. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into events of known form
export function eventsOf({ text }: Reply): any[] {
  return text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.replace(/^data: /, "")));
}
