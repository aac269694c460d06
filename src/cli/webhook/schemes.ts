import { text as readAll } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { type BasicCredential, basic } from "../../webhooks/auth/basic.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { freshness } from "../../webhooks/auth/freshness.ts";
import { type HmacOptions, hmac, type SignatureFields } from "../../webhooks/auth/hmac.ts";
import { refuseComment } from "../../webhooks/auth/secret.ts";
import { signedPresets } from "../../webhooks/auth/signed-parts.ts";
import { standardWebhooks } from "../../webhooks/auth/standard-webhooks.ts";
import type { Table } from "../shared/format-table.ts";
import { readMilliseconds } from "../shared/read-flags.ts";

type SchemeName = "hmac" | "standard-webhooks" | "basic" | "none";

/** The flags that set how a notification is signed. */
export interface SchemeFlags
  extends Pick<
    HmacOptions,
    | "encoding"
    | "prefix"
    | "timestampHeader"
    | "timestampFormat"
    | "timestampUnit"
    | "timestampOffset"
    | "tolerance"
    | "idHeader"
    | "nonceHeader"
  > {
  readonly auth: SchemeName;
  readonly header: string;
  readonly signed?: keyof typeof signedPresets;
  readonly fields?: string;
  readonly secretStdin?: boolean;
}

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

export const secretHelp: Table = {
  title: `The secret, required (${secretName}, or --secret-stdin)`,
  rows: [
    ["hmac", "the key"],
    ["standard-webhooks", "whsec_ and the key in base64"],
    ["basic", "user:password"],
    ["none", "no secret; the notification is not signed"],
    ["", "the variable may hold one on each line, the current one first"],
  ],
};

/** Adds the options that choose the scheme of a receiver. */
export function addReceiverOptions(command: Command): Command {
  return addSchemeOptions(command).option(
    "--tolerance <ms>",
    "how far a timestamp may differ from the clock (default: 300000)",
    readMilliseconds,
  );
}

/** Adds the options that choose a scheme. They have the names of those of `hmac()`. */
export function addSchemeOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--auth <scheme>", "how to sign it; see below for the secret")
        .choices(Object.keys(schemes))
        .default("hmac"),
    )
    .option("--header <name>", "hmac: header with the signature", "x-signature")
    .addOption(
      new Option("--encoding <name>", "hmac: encoding of the signature")
        .choices(["hex", "base64", "base64url"])
        .default("hex"),
    )
    .option("--prefix <text>", "hmac: text before the signature, such as sha256=", "")
    .addOption(new Option("--signed <parts>", "hmac: signed parts (default: body)").choices(Object.keys(signedPresets)))
    .option("--fields <list>", "hmac: one header for all parts, such as signature=v1,timestamp=t")
    .option("--id-header <name>", "hmac: header with an identifier")
    .option("--timestamp-header <name>", "header with the time of sending")
    .addOption(
      new Option("--timestamp-format <format>", "format of the timestamp (default: unix)").choices([
        "unix",
        "iso",
        "YYYY-MM-DD HH:mm:ss",
      ]),
    )
    .addOption(
      new Option("--timestamp-unit <unit>", "unit of a unix timestamp (default: seconds)").choices([
        "seconds",
        "milliseconds",
      ]),
    )
    .option("--timestamp-offset <offset>", "UTC offset of YYYY-MM-DD HH:mm:ss (default: +05:30)")
    .option("--nonce-header <name>", "header with a nonce, new for each delivery")
    .option("--secret-stdin", `read the secret from standard input instead of ${secretName}`);
}

/**
 * Returns the checks that the notification must pass.
 *
 * @throws ConfigurationError for options that do not fit together, or a missing secret.
 */
export async function readScheme(flags: SchemeFlags, command: Command): Promise<readonly WebhookCheck[]> {
  const { auth } = flags;
  const unused = unusedOptions[auth].find((name) => command.getOptionValueSource(name) === "cli");
  if (unused !== undefined) {
    const option = command.options.find((known) => known.attributeName() === unused)?.long;
    throw new ConfigurationError(`${option} has no effect with --auth ${auth}.`);
  }
  return schemes[auth](auth === "none" ? [] : await readSecrets(flags), flags);
}

const hmacOnly = ["header", "encoding", "prefix", "signed", "fields", "idHeader"];
const timed = ["timestampHeader", "timestampFormat", "timestampUnit", "timestampOffset", "nonceHeader"] as const;

/** The options that have no effect for a scheme. */
const unusedOptions: Readonly<Record<SchemeName, readonly string[]>> = {
  hmac: [],
  "standard-webhooks": [...hmacOnly, ...timed],
  basic: hmacOnly,
  none: [...hmacOnly, "secretStdin"],
};

const schemes: Readonly<
  Record<SchemeName, (secrets: readonly string[], flags: SchemeFlags) => readonly WebhookCheck[]>
> = {
  hmac: (secrets, { header, encoding, prefix, signed, idHeader, fields, ...rest }) => [
    hmac({
      ...{ header, encoding, prefix, signed, idHeader, secrets },
      ...timing(rest),
      ...(fields !== undefined && { fields: readFields(fields) }),
    }),
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

function timing({
  timestampHeader,
  timestampFormat,
  timestampUnit,
  timestampOffset,
  nonceHeader,
  tolerance,
}: Timing): Timing {
  return { timestampHeader, timestampFormat, timestampUnit, timestampOffset, nonceHeader, tolerance };
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

/** Reads the fields. `hmac()` itself checks their names. */
function readFields(list: string): SignatureFields {
  const entries = list.split(",").map((entry) => {
    const [name = "", value = "", more] = entry.split("=").map((part) => part.trim());
    if (name !== "" && value !== "" && more === undefined) return [name, value] as const;
    throw new ConfigurationError("--fields must be a list such as signature=v1,timestamp=t.");
  });
  return { signature: "", ...Object.fromEntries(entries) };
}

/** Reads the secrets, but not from the command line, which every user of the machine can see. */
async function readSecrets({ secretStdin }: SchemeFlags): Promise<readonly string[]> {
  const secrets = secretStdin ? [(await readAll(process.stdin)).replace(/\r?\n$/, "")] : secretsOfEnvironment();
  if (secrets.some((secret) => secret !== "")) return secrets;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}

/** Returns the secrets of the environment, which holds one on each line, the current one first. */
function secretsOfEnvironment(): readonly string[] {
  const lines = (process.env[secretName] ?? "").split(/\r?\n/);
  return lines.map((line) => refuseComment("--auth", line));
}
