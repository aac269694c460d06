import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../../errors/request.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { baseUrlOption, dotenvOption, type FlagsOf, jsonOption, option } from "../shared/command.ts";
import type { DescriptionList } from "../shared/layout.ts";
import { quote } from "../shared/print.ts";

export const journalVariable = "SERVICEAPI_JOURNAL";

export const journalOption = option(
  "--journal <file>",
  "journal of bookings (default: one for each base URL, see below)",
);

export const placeOptions = [
  baseUrlOption("base URL of the service whose journal it is"),
  dotenvOption,
  journalOption,
  jsonOption(),
] as const;

export const reconcileOptions = [
  option("--booked <pnr>", "PNR of the booking that was found"),
  option("--booking-id <id>", "booking ID of the booking that was found"),
  option("--not-booked", "the service operator says that there is no booking: it can be booked again"),
  option("--force", "with --not-booked, before the response can no longer come"),
  option("--replaces <pnr>", "PNR or booking ID that was recorded by mistake: what you pass now stands instead"),
  option("--shared-with <reference>", "another booking in the journal that has the same PNR"),
  ...placeOptions,
] as const;

export type ReconcileFlags = FlagsOf<typeof reconcileOptions>;

export const journalHelp: DescriptionList = {
  title: "Journal",
  items: [
    ["--journal <file>", "the file that you name, in a folder that exists"],
    [journalVariable, "the file that the environment names"],
    [
      "otherwise",
      "bookings/<host>.jsonl in the user's folder of data, such as ~/.local/share/serviceapi (XDG_DATA_HOME)",
    ],
    ["with an emulator", "name a new file for each of its runs: it issues the same tokens again"],
  ],
};

export type OpenedJournal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Opens the journal of `--journal`, of the environment, or of the user. The user's is the same in every folder, so that
 * an order is not sent a second time from another one. It is one for each base URL, so that a booking at an emulator
 * says nothing about the service. The `flags` of the result lead other commands to it, for advice.
 */
export async function openJournal(
  { journal }: { readonly journal?: string },
  baseUrl: string | undefined,
  { create }: { readonly create: boolean },
) {
  const { fileJournal } = await import("../../flights/journal/file.ts");
  const named = journal ?? (process.env[journalVariable] || undefined);
  const [flag, value] = journal === undefined ? ["--base-url", baseUrl] : ["--journal", journal];
  const flags = value === undefined ? "" : ` ${flag} ${quote(value)}`;
  if (named !== undefined) return { path: named, journal: fileJournal(named, { create }), flags };
  const path = await userJournal(baseUrl ?? process.env.SERVICEAPI_BASE_URL ?? "");
  if (create) {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {
      throw new ConfigurationError(`The folder ${folder} could not be created. Pass --journal with another file.`);
    });
  } else if (!existsSync(path)) {
    // An empty list would be taken for "nothing is open", while the bookings are in the file of another shell.
    throw new ConfigurationError(`There is no journal at ${path} yet. Is ${journalVariable} or --journal missing?`);
  }
  return { path, journal: fileJournal(path), flags };
}

async function userJournal(baseUrl: string): Promise<string> {
  const url = URL.parse(baseUrl);
  if (url === null) {
    throw new ConfigurationError(
      "Each base URL has a separate journal. Set SERVICEAPI_BASE_URL, or pass --base-url or --journal.",
    );
  }
  const { default: envPaths } = await import("env-paths");
  const folder = join(envPaths("serviceapi", { suffix: "" }).data, "bookings");
  // However the service is spelt, its journal is one: two would allow a second booking.
  const host = isLoopback(url.hostname) ? "localhost" : url.hostname.replace(/\.$/, "");
  const name = `${host}${url.port && `_${url.port}`}`.replaceAll(/[^\w.-]+/g, "_");
  return join(folder, `${name}.jsonl`);
}
