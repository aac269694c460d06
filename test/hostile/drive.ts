import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import type { Written } from "../runtimes/drive/process.ts";
import { answers, sampleRequests, sse, sseText, streamEvents } from "../runtimes/service/answers.ts";
import { summary } from "../runtimes/summary.ts";
import type { Certificates } from "../support/certificates.ts";
import { spellingsOf } from "../support/leaks/forms.ts";
import { known, samplePeople } from "../support/leaks/known.ts";
import { type Leak, leaksInText } from "../support/leaks/scan.ts";
import { secret } from "../support/secrets.ts";
import { operationOf } from "./expected.ts";
import { type OperationName, operationNames } from "./program/operations.ts";
import type { Job, Remains, Report, Work } from "./program/run.ts";
import type { GoodResponse, Scenario } from "./scenario.ts";
import { JobServer } from "./server/job-server.ts";

/** The results of a program. */
export interface Results {
  /** By the name of the scenario and the operation. */
  readonly calls: Readonly<Record<string, Readonly<Partial<Record<OperationName, Result>>>>>;
  /** The remains of all calls. */
  readonly remains: Remains | undefined;
  /** The secrets and people in the output of the program. */
  readonly leaks: readonly Leak[];
}

/** The result of one operation in one scenario. */
export interface Result extends Report {
  /** In one line; see `Row`. */
  readonly line: string;
  /** Number of requests of which the server received at least one byte. */
  readonly received: number;
}

/** A way to the servers other than the straight one. */
export interface Detour {
  /** Returns a base URL that leads to the server with this URL. */
  readonly leadTo: (server: string, scenario: Scenario) => string;
  /** Closes the connections of a call that has ended, and returns the number of its requests. */
  readonly finish: (server: string) => number;
  /** Its own secrets. */
  readonly secrets: readonly string[];
}

/** Milliseconds in which the connections of a call that has ended must be closed. */
const closingTime = 4_000;

interface Played {
  readonly scenario: Scenario;
  readonly operation: OperationName;
  readonly server: JobServer;
}

/**
 * Plays all scenarios to one program.
 *
 * @param start - Starts the program, which asks the driver at this URL for its work, and resolves when it has ended.
 * @param detour - The way of the requests, if it is not the straight one.
 */
export async function play(
  scenarios: readonly Scenario[],
  certificates: Certificates,
  start: (control: string) => Promise<Written>,
  detour?: Detour,
): Promise<Results> {
  const strays = await JobServer.start(stray, { good: goodResponse("findVpas"), certificates, elsewhere: "" });
  const played = await Promise.all(
    scenarios.flatMap((scenario) =>
      (scenario.only ?? operationNames).map((operation) =>
        prepare(scenario, { operation, certificates, elsewhere: strays.url }),
      ),
    ),
  );
  const reports = new Map<number, Result>();
  let remains: Remains | undefined;
  let leaks: readonly Leak[] = [];
  // An idle connection that the server closed would fail the next report.
  const control = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    if (request.url === "/work") return response.end(JSON.stringify(workOf(played, detour)));
    if (request.url === "/remains") {
      remains = (await json(request)) as Remains;
      return response.end();
    }
    const id = Number(request.url?.split("/").at(-1));
    const job = played[id] as Played;
    const result = await judge(job, request);
    reports.set(id, detour === undefined ? result : withRequests(result, detour.finish(job.server.url)));
    response.end();
  });
  control.listen(0, "127.0.0.1");
  await once(control, "listening");
  try {
    const { out, err } = await start(`http://127.0.0.1:${(control.address() as AddressInfo).port}`);
    leaks = leaksInText(known(), "the output of the program", out + err);
  } finally {
    control.closeAllConnections();
    control.close();
    await Promise.all([strays, ...played.map(({ server }) => server)].map((server) => server.stop()));
  }
  if (strays.received > 0) throw new Error(`${strays.received} requests went to the target of a redirect`);
  return { calls: collect(played, reports), remains, leaks };
}

async function prepare(
  scenario: Scenario,
  how: { readonly operation: OperationName; readonly certificates: Certificates; readonly elsewhere: string },
): Promise<Played & { readonly url: string }> {
  const { operation, ...setting } = how;
  const server = await JobServer.start(scenario, { ...setting, good: goodResponse(operation) });
  const { url } = server;
  if (scenario.isClosed) await server.stop();
  return { scenario, operation, server, url };
}

/** The server to which redirects lead. */
const stray = { name: "elsewhere", expected: { safe: "", ifNotProcessed: "", never: "" } };

function goodResponse(operation: OperationName): GoodResponse {
  if (operation !== "stream")
    return { operation, type: "application/json", body: answers(operationOf(operation).path) };
  return { operation, type: sse["Content-Type"], body: sseText(streamEvents()) };
}

/** The result of an operation that got its good response. */
function goodAnswer(operation: OperationName): unknown {
  if (operation !== "stream") return JSON.parse(answers(operationOf(operation).path));
  const completed = streamEvents().at(-1) as { readonly system: { readonly text: string } };
  return completed.system.text;
}

function workOf(played: readonly (Played & { readonly url: string })[], detour: Detour | undefined): Work {
  const jobs = played.map(({ scenario, operation, url }, id): Job => {
    const { options = {}, isWaiting = false, calls = 1, padding = 0 } = scenario;
    const baseUrl = detour?.leadTo(url, scenario) ?? url;
    const dangerouslyAllowHttp = [new URL(baseUrl).hostname];
    return { id, operation, baseUrl, options: { ...options, dangerouslyAllowHttp }, isWaiting, calls, padding };
  });
  const secrets = [secret, ...(detour?.secrets ?? [])];
  const spelled = secrets.flatMap(spellingsOf).map(([text]) => text);
  return { jobs, secret, hidden: { secrets, people: samplePeople(), spelled }, requests: sampleRequests() };
}

async function judge({ server, scenario, operation }: Played, request: IncomingMessage): Promise<Result> {
  const report = (await json(request)) as Report;
  // A connection is kept for the next request after its response.
  const isKept = scenario.answer2 !== undefined || scenario.calls !== undefined;
  const isDisconnected = isKept || (await server.isDisconnected(closingTime));
  const { received } = server;
  const line = summary(report, received) + (isDisconnected ? "" : ", connection left open");
  const isGood = report.error !== undefined || isDeepStrictEqual(report.answer, goodAnswer(operation));
  return { ...report, received, line: isGood ? line : `another ${line}` };
}

/** Each attempt is one request; the line says so if it was otherwise. */
function withRequests(result: Result, requests: number): Result {
  const isOneEach = requests === (result.error?.attempts ?? 1);
  return isOneEach
    ? result
    : { ...result, line: `${result.line}, asked ${requests > 1 ? "again and again" : "never"}` };
}

function collect(played: readonly Played[], reports: ReadonlyMap<number, Result>): Results["calls"] {
  const results: Record<string, Partial<Record<OperationName, Result>>> = {};
  for (const [id, { scenario, operation }] of played.entries()) {
    const report = reports.get(id);
    if (report === undefined) throw new Error(`${operation} did not end: ${scenario.name}`);
    results[scenario.name] = { ...results[scenario.name], [operation]: report };
  }
  return results;
}
