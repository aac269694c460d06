import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { buffer as readAll } from "node:stream/consumers";
import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
import { parseJson } from "../../shared/json.ts";

const sentences: Readonly<Record<string, string>> = {
  ENOENT: "does not exist. Check its name and the folder that you are in.",
  EISDIR: "is a folder. Name a file.",
  ENOTDIR: "does not exist: a part of its path is a file, not a folder.",
  EACCES: "could not be read: you have no permission. Ask its owner, or pass a copy.",
  EPERM: "could not be read: you have no permission. Ask its owner, or pass a copy.",
};

/**
 * Returns the text in bytes, without a byte order mark. What is not UTF-8 is refused: it would come out changed. In
 * UTF-16 every other byte is zero.
 */
export function decodeText(bytes: Uint8Array, what: string, encoding = "UTF-8"): string {
  if (bytes.includes(0) || !isUtf8(bytes))
    throw new ConfigurationError(`${what} is not UTF-8. Save it as ${encoding}.`);
  try {
    return new TextDecoder().decode(bytes);
  } catch {
    throw new ConfigurationError(`${what} is too large to be read. Split it.`);
  }
}

export async function readStdin(what = "standard input"): Promise<string> {
  return decodeText(await readAll(process.stdin), what);
}

export function readTextFile(file: string, flag?: string): string {
  const owner = flag === undefined ? "The file" : `${flag}: the file`;
  return decodeText(readBytes(owner, file), `${owner} ${file}`);
}

export function readBytes(owner: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = errorCodeOf(error);
    const problem = sentences[code] ?? `could not be read${code && ` (${code})`}.`;
    throw new ConfigurationError(`${owner} ${file} ${problem}`);
  }
}

/** Reads the JSON file of a flag, or standard input for `-`; undefined without the flag. No message quotes it. */
export async function readJsonFlag(flag: string, file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined;
  const isStdin = file === "-";
  const value = parseJson(isStdin ? await readStdin(`${flag}: standard input`) : readTextFile(file, flag));
  if (value !== undefined) return value;
  throw new ConfigurationError(`${flag}: ${isStdin ? "standard input" : `the file ${file}`} is not JSON.`);
}

/** Reads the secret of `--secret-stdin`, without the line break that `echo` adds. */
export async function readSecret(): Promise<string> {
  const secret = (await readStdin("--secret-stdin: standard input")).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new ConfigurationError("--secret-stdin: standard input is empty.");
}
