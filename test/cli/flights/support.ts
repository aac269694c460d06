import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createEmulator, type Emulator, type SearchName } from "../../../src/emulator/emulator.ts";
import type { FareQuote } from "../../../src/flights/types/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";

/** A listening emulator, a folder, and the command beside them. */
export interface Station {
  readonly emulator: Emulator;
  readonly url: string;
  readonly folder: string;
  /** The `trace_id` and token of a flight. */
  readonly search: readonly [traceId: string, token: string];
  /** Writes a file and returns its path. */
  write(name: string, content: unknown): string;
  /** Runs the command to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts the command. */
  start(
    args: readonly string[],
    options?: RunOptions,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  /** The number of bookings that were received. */
  sent(): number;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts an emulator for one test, with one search and its own data folder. */
export async function startStation(name?: SearchName): Promise<Station> {
  const emulator = createEmulator();
  const server = await emulator.listen({ port: 0 });
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-flights-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { trace_id, token } = emulator.seedSearch(name);
  const start: Station["start"] = (args, { stdin = "", env = {} } = {}) => {
    const child = spawn(process.execPath, ["dist/cli/main.js", ...args], {
      env: { ...ownEnvironment, ...environment(server.url, folder), ...env },
    });
    child.stdin.end(stdin);
    return { child, ended: endOf(child, [text(child.stdout), text(child.stderr)]) };
  };
  return {
    emulator,
    url: server.url,
    folder,
    search: [trace_id, token],
    write: (file, content) => {
      const path = join(folder, file);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
    start,
    run: (args, options) => start(args, options).ended,
    sent: () => emulator.requests.filter(({ operation }) => operation === "flights.book").length,
  };
}

async function endOf(child: ChildProcess, output: readonly [Promise<string>, Promise<string>]): Promise<Ended> {
  const [out, err, [code, signal]] = await Promise.all([...output, once(child, "exit")]);
  return { out, err, code, signal };
}

/** Settings of this machine are left out. Windows needs more than PATH. */
const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:SERVICEAPI|NODE|FORCE_COLOR|NO_COLOR|XDG|COLUMNS)/i.test(name)),
);

function environment(url: string, folder: string) {
  return {
    SERVICEAPI_BASE_URL: url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "demo-secret",
    XDG_DATA_HOME: folder,
    HOME: folder,
    LOCALAPPDATA: folder,
  };
}

/** A passenger of the default search. */
export function passenger(fields: Readonly<Record<string, unknown>> = {}) {
  return {
    title: "Mr",
    fname: "RAVI",
    lname: "SAMPLE",
    mobile: "6000000001",
    email: "traveller@example.in",
    passenger_type: "adult",
    dob: "1988-07-14",
    gender: "M",
    address: "11 Placeholder Road",
    city: "Samplepur",
    country: "India",
    country_code: "IN",
    ...fields,
  };
}

/** Values of {@link passenger} that no output may show without `--show-pii`. */
export const personal = /RAVI|SAMPLE|6000000001|traveller@|1988-07-14|Placeholder/;

/** Every date and remaining time as one of the same width, which do not depend on the day. */
export function timeless(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD")
    .replaceAll(/\b\d\d-\d\d(?= \d\d:\d\d)/g, "MM-DD")
    .replaceAll(/(?<=, )(?:\d+ d )?\d+ h(?: \d+ min)? left/g, "… left")
    .replaceAll(/(?<=YYYY-MM-DD )\d\d:\d\d(?= \()/g, "HH:MM");
}

/** The quote of a search, to change it in a script. */
export async function quoteOf({ emulator, search: [trace_id, token] }: Station): Promise<FareQuote> {
  const { fetch } = emulator;
  const client = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret", fetch };
  return await new ServiceApi(client).flights.fareQuote({ trace_id, token });
}
