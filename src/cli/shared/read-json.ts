import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { ConfigurationError } from "../../errors/request.ts";
import { parseJson } from "../../shared/json.ts";

/**
 * Reads the JSON file of a flag, or standard input for `-`.
 *
 * @param flag - Name of the flag, such as `--passengers`.
 * @throws ConfigurationError if it cannot be read, or is not JSON. The message does not quote it.
 */
export async function readJsonFlag(flag: string, file: string): Promise<unknown> {
  const text = file === "-" ? await readAll(process.stdin) : await readText(flag, file);
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return value;
  throw new ConfigurationError(`${flag}: ${nameOf(file)} is not JSON.`);
}

async function readText(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new ConfigurationError(`${flag}: the file ${file} could not be read.`);
  }
}

function nameOf(file: string): string {
  return file === "-" ? "standard input" : `the file ${file}`;
}
