import { ConfigurationError } from "../errors/request.ts";
import type { ClientOptions, Credential } from "../options.ts";
import { credentialComplaint } from "../shared/credential.ts";
import { environmentNote, readEnvironment } from "../shared/environment.ts";

/** The two headers of §5. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Reads both credentials again for each call, so that rotation needs no restart (docs/assumptions.md, T4). Returns a
 * promise only if one is a function.
 */
export function readCredentials({ clientId, clientSecret }: ClientOptions): Credentials | Promise<Credentials> {
  if (typeof clientId === "function" || typeof clientSecret === "function") return askForBoth(clientId, clientSecret);
  return {
    clientId: read("clientId", clientId, "SERVICEAPI_CLIENT_ID"),
    clientSecret: read("clientSecret", clientSecret, "SERVICEAPI_CLIENT_SECRET"),
  };
}

/** Calls both at once, so that the failure of one does not leave that of the other unhandled. */
async function askForBoth(id: Credential | undefined, secret: Credential | undefined): Promise<Credentials> {
  const [clientId, clientSecret] = await Promise.all([
    askOrRead("clientId", id, "SERVICEAPI_CLIENT_ID"),
    askOrRead("clientSecret", secret, "SERVICEAPI_CLIENT_SECRET"),
  ]);
  return { clientId, clientSecret };
}

async function askOrRead(name: string, given: Credential | undefined, variable: string): Promise<string> {
  return typeof given === "function" ? ask(name, given) : read(name, given, variable);
}

/** A string of the options was checked with them. */
function read(name: string, given: string | undefined, variable: string): string {
  if (given !== undefined) return given;
  const value = readEnvironment(variable);
  if (value !== undefined && value !== "") return check(`\`${name}\`, from ${variable},`, value);
  throw new ConfigurationError(
    `\`${name}\` is missing: pass it as an option of the client, or set ${variable}${environmentNote(variable)}.`,
  );
}

async function ask(name: string, provider: () => string | Promise<string>): Promise<string> {
  let value: unknown;
  try {
    value = await provider();
  } catch {
    // Its error may quote the secret.
    throw new ConfigurationError(`The function passed as \`${name}\` threw. Nothing was sent.`);
  }
  return check(`\`${name}\`, from its function,`, value);
}

function check(what: string, value: unknown): string {
  const complaint = credentialComplaint(value);
  if (complaint === undefined) return String(value);
  throw new ConfigurationError(`${what} ${complaint}.`);
}
