import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { ConfigurationError } from "../../errors/request.ts";
import { parseJson } from "../../shared/json.ts";
import { unreadable } from "./unreadable.ts";

/**
 * Reads a text file that a flag or an argument names.
 *
 * @param flag - Name of the flag, such as `--passengers`.
 * @throws ConfigurationError if it cannot be read.
 */
export async function readTextFile(file: string, flag?: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(unreadable(flag === undefined ? "The file" : `${flag}: the file`, file, error));
  }
}

/**
 * Reads the JSON file of a flag, or standard input for `-`.
 *
 * @throws ConfigurationError if it cannot be read, or is not JSON. The message does not quote it.
 */
export async function readJsonFlag(flag: string, file: string): Promise<unknown> {
  const isStdin = file === "-";
  const text = isStdin ? await readAll(process.stdin) : await readTextFile(file, flag);
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return value;
  throw new ConfigurationError(`${flag}: ${isStdin ? "standard input" : `the file ${file}`} is not JSON.`);
}

/**
 * Reads the secret of `--secret-stdin`, without the line break that `echo` adds.
 *
 * @throws ConfigurationError if standard input is empty.
 */
export async function readSecret(): Promise<string> {
  const secret = (await readAll(process.stdin)).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new ConfigurationError("--secret-stdin: standard input is empty.");
}
