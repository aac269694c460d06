import { ConfigurationError } from "../errors/request.ts";
import { type ClientOptions, type Credential, readEnvironment } from "../options.ts";

/** The two headers of §5. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Reads both credentials anew, so that rotation needs no restart (policy 4). */
export async function readCredentials(options: ClientOptions): Promise<Credentials> {
  // Together, so that one that fails leaves no other failure unhandled.
  const [clientId, clientSecret] = await Promise.all([
    read("clientId", options.clientId, "SERVICEAPI_CLIENT_ID"),
    read("clientSecret", options.clientSecret, "SERVICEAPI_CLIENT_SECRET"),
  ]);
  return { clientId, clientSecret };
}

async function read(name: string, given: Credential | undefined, variable: string): Promise<string> {
  if (typeof given === "function") return ask(name, given);
  const value = given ?? readEnvironment(variable);
  if (value === undefined || value === "") {
    throw new ConfigurationError(`\`${name}\` is missing: pass it to new ServiceApi({ ${name} }) or set ${variable}.`);
  }
  return check(name, value);
}

async function ask(name: string, provider: () => string | Promise<string>): Promise<string> {
  let value: unknown;
  try {
    value = await provider();
  } catch {
    // What it threw may quote the secret.
    throw new ConfigurationError(`The function given as \`${name}\` threw; nothing was sent.`);
  }
  return check(name, value);
}

function check(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw new ConfigurationError(`\`${name}\` must be a non-empty text.`);
  if (value !== value.trim()) {
    throw new ConfigurationError(
      `\`${name}\` begins or ends with white space, as a value read from a file often does: trim it.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new ConfigurationError(`\`${name}\` must be visible ASCII characters without spaces.`);
  }
  return value;
}
