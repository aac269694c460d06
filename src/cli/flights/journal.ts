import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";
import { ConfigurationError } from "../../errors/request.ts";
import { fileJournal } from "../../flights/journal/file.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { option } from "../shared/command.ts";
import { quote } from "../shared/print.ts";

export const journalVariable = "SERVICEAPI_JOURNAL";

export const journalOption = option(
  "--journal <file>",
  "journal of bookings (default: one for each base URL, see below)",
);

export const journalHelp = {
  Journal: {
    "--journal <file>": "the file that you name, in a folder that exists",
    [journalVariable]: "the file that the environment names",
    otherwise: "bookings/<host>.jsonl in the user's folder of data, such as ~/.local/share/serviceapi (XDG_DATA_HOME)",
    "with an emulator": "name a new file for each of its runs: it issues the same tokens again",
  },
};

export type OpenedJournal = ReturnType<typeof openJournal>;

/**
 * Opens the journal of `--journal`, of the environment, or of the user. The user's is the same in every folder, so that
 * an order is not sent a second time from another one. It is one for each base URL, so that a booking at an emulator
 * says nothing about the service. The `flags` of the result lead other commands to it, for advice.
 */
export function openJournal(
  { journal, baseUrl }: { readonly journal?: string; readonly baseUrl?: string },
  { create }: { readonly create: boolean },
) {
  const named = journal ?? (process.env[journalVariable] || undefined);
  const path = named ?? userJournal(baseUrl ?? process.env.SERVICEAPI_BASE_URL ?? "");
  if (named === undefined && create) {
    const folder = dirname(path);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      throw new ConfigurationError(`The folder ${folder} could not be created. Pass --journal with another file.`);
    }
  } else if (named === undefined && !existsSync(path)) {
    // An empty list would be taken for "nothing is open", while the bookings are in the file of another shell.
    throw new ConfigurationError(`There is no journal at ${path} yet. Is ${journalVariable} or --journal missing?`);
  }
  const [flag, value] = journal === undefined ? ["--base-url", baseUrl] : ["--journal", journal];
  const flags = value === undefined ? "" : ` ${flag} ${quote(value)}`;
  return { path, journal: fileJournal(path, { create }), flags };
}

function userJournal(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url === null) {
    throw new ConfigurationError(
      "Each base URL has a separate journal. Set SERVICEAPI_BASE_URL, or pass --base-url or --journal.",
    );
  }
  // However the service is spelt, its journal is one: two would allow a second booking.
  const host = isLoopback(url.hostname) ? "localhost" : url.hostname.replace(/\.$/, "");
  const name = `${host}${url.port && `_${url.port}`}`.replaceAll(/[^\w.-]+/g, "_");
  return join(envPaths("serviceapi", { suffix: "" }).data, "bookings", `${name}.jsonl`);
}
