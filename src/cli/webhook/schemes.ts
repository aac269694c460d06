import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { type BasicCredential, basic } from "../../webhooks/auth/basic.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { freshness } from "../../webhooks/auth/freshness.ts";
import { hmac } from "../../webhooks/auth/hmac.ts";
import { refuseComment } from "../../webhooks/auth/secret.ts";
import { standardWebhooks } from "../../webhooks/auth/standard-webhooks.ts";
import { refuseUnused } from "../shared/read-flags.ts";
import { readSecret } from "../shared/read-input.ts";
import { type SchemeFlags, type SchemeName, secretName } from "./scheme-flags.ts";

/**
 * Returns the checks that the notification must pass.
 *
 * @throws ConfigurationError for options that do not fit together, or a missing secret.
 */
export async function readScheme(flags: SchemeFlags, command: Command): Promise<readonly WebhookCheck[]> {
  const { auth } = flags;
  refuseUnused(command, unusedOptions[auth], `with --auth ${auth}`);
  refuseSharedHeader(flags);
  return schemes[auth](auth === "none" ? [] : await readSecrets(flags), flags);
}

const hmacOnly = ["header", "encoding", "prefix", "signed"];
const timed = ["timestampHeader", "timestampFormat", "nonceHeader"] as const;

/** The options that have no effect for a scheme. */
const unusedOptions: Readonly<Record<SchemeName, readonly string[]>> = {
  hmac: [],
  "standard-webhooks": [...hmacOnly, ...timed],
  basic: hmacOnly,
  none: [...hmacOnly, "secretStdin"],
};

/** The flags that name a header, in the order in which they are compared. */
const headerFlags = {
  header: "--header",
  timestampHeader: "--timestamp-header",
  nonceHeader: "--nonce-header",
} as const;

/** Refuses two values in one header: its name is the same in any case. */
function refuseSharedHeader(flags: SchemeFlags): void {
  const owners = new Map([["content-type", "the content type"]]);
  if (flags.auth === "basic") owners.set("authorization", "the credentials");
  for (const [key, flag] of Object.entries(headerFlags)) {
    const header = flags[key as keyof typeof headerFlags];
    if (header === undefined || unusedOptions[flags.auth].includes(key)) continue;
    const owner = owners.get(header.toLowerCase());
    if (owner !== undefined) {
      throw new ConfigurationError(`${flag} names the header of ${owner}. Pass another name.`);
    }
    owners.set(header.toLowerCase(), flag);
  }
}

const schemes: Readonly<
  Record<SchemeName, (secrets: readonly string[], flags: SchemeFlags) => readonly WebhookCheck[]>
> = {
  hmac: (secrets, { header, encoding, prefix, signed, ...rest }) => [
    hmac({ header, encoding, prefix, signed, secrets, ...timing(rest) }),
  ],
  "standard-webhooks": (secrets, { tolerance }) => [standardWebhooks({ secrets, tolerance })],
  basic: (secrets, flags) => [basic({ credentials: secrets.map(readCredential) }), ...headersOfTime(flags)],
  none: (_, flags) => headersOfTime(flags),
};

function readCredential(secret: string): BasicCredential {
  const colon = secret.indexOf(":");
  if (colon !== -1) return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
  throw new ConfigurationError("basic: the secret must be user:password, but the colon is missing.");
}

type Timing = Pick<SchemeFlags, (typeof timed)[number] | "tolerance">;

function timing({ timestampHeader, timestampFormat, nonceHeader, tolerance }: Timing): Timing {
  return { timestampHeader, timestampFormat, nonceHeader, tolerance };
}

/** A scheme that does not sign headers sends timestamp and nonce as they are. */
function headersOfTime(flags: SchemeFlags): readonly WebhookCheck[] {
  const { timestampHeader, ...others } = timing(flags);
  if (timestampHeader !== undefined) return [freshness({ ...others, timestampHeader })];
  if (Object.values(others).every((value) => value === undefined)) return [];
  throw new ConfigurationError(
    "--timestamp-header is missing. The other timestamp options and --nonce-header need it.",
  );
}

/** Reads the secrets, but not from the command line, which every user of the machine can see. */
async function readSecrets({ secretStdin }: SchemeFlags): Promise<readonly string[]> {
  const secrets = secretStdin ? [await readSecret()] : secretsOfEnvironment();
  if (secrets.some((secret) => secret !== "")) return secrets;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}

/** Returns the secrets of the environment, which holds one on each line, the current one first. */
function secretsOfEnvironment(): readonly string[] {
  const lines = (process.env[secretName] ?? "").split(/\r?\n/);
  return lines.map((line) => refuseComment("--auth", line));
}
