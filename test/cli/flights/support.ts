import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Emulator, SearchName } from "../../../src/emulator/emulator.ts";
import type { FareQuote, FareQuoteResult } from "../../../src/flights/types/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { launch, type RunOptions } from "../../support/command.ts";
import { startEmulator } from "../support.ts";

/** A listening emulator, a folder, and the command beside them. */
export interface Station {
  readonly emulator: Emulator;
  readonly url: string;
  readonly folder: string;
  /** The settings of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** The `trace_id` and token of a flight. */
  readonly search: readonly [traceId: string, token: string];
  /** Writes a file and returns its path. */
  write(name: string, content: unknown): string;
  /** Runs the command to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Starts the command. */
  start(args: readonly string[], options?: RunOptions): Started;
  /** The number of bookings that were received. */
  sent(): number;
}

/** A command that runs, and its end. */
interface Started {
  readonly child: ReturnType<typeof launch>["child"];
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts an emulator for one test, with one search and its own data folder. */
export async function startStation(name?: SearchName): Promise<Station> {
  const { emulator, url, env: settings } = await startEmulator();
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-flights-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { trace_id, token } = emulator.seedSearch(name);
  const environment = { ...settings, XDG_DATA_HOME: folder, HOME: folder, LOCALAPPDATA: folder };
  const start: Station["start"] = (args, options) => {
    const env = { ...environment, ...options?.env };
    const { child, ended } = launch(args, { ...options, env });
    return { child, ended: ended.then(({ stdout, stderr, ...end }) => ({ out: stdout, err: stderr, ...end })) };
  };
  return {
    emulator,
    url,
    folder,
    environment,
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

/** Values of the sample passenger that no output may show without `--show-pii`. */
export const personal = /RAVI|SAMPLE|6000000001|traveller@|1988-07-14|Placeholder/;

/** Every date and remaining time as one of the same width, which do not depend on the day. */
export function timeless(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD")
    .replaceAll(/\b\d\d-\d\d(?= \d\d:\d\d)/g, "MM-DD")
    .replaceAll(/(?<=, )(?:\d+ d )?\d+ h(?: \d+ min)? left/g, "… left")
    .replaceAll(/(?<=YYYY-MM-DD )\d\d:\d\d(?= \()/g, "HH:MM");
}

/** Has the quotes of a station show other offers, made from that of its search. */
export async function quoteAs(station: Station, change: (offer: FareQuoteResult) => readonly unknown[]): Promise<void> {
  const quote = await quoteOf(station);
  const body = { ...quote, data: { ...quote.data, result: quote.data.result.flatMap(change) } };
  station.emulator.on("flights.fareQuote", () => Response.json(body));
}

/** The quote of a search, to change it in a script. */
export async function quoteOf({ emulator, search: [trace_id, token] }: Station): Promise<FareQuote> {
  const { fetch } = emulator;
  const client = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret", fetch };
  return await new ServiceApi(client).flights.fareQuote({ trace_id, token });
}
