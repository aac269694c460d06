import { text as readAll } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { basic } from "../../webhooks/auth/basic.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { freshness } from "../../webhooks/auth/freshness.ts";
import { type HmacOptions, hmac, type SignatureFields } from "../../webhooks/auth/hmac.ts";
import { signedPresets } from "../../webhooks/auth/signed-parts.ts";
import { standardWebhooks } from "../../webhooks/auth/standard-webhooks.ts";
import type { Section } from "../format-table.ts";

type SchemeName = "hmac" | "standard-webhooks" | "basic" | "none";

/** How a notification is signed, from the command line. */
export interface SchemeFlags
  extends Pick<
    HmacOptions,
    | "encoding"
    | "prefix"
    | "timestampHeader"
    | "timestampFormat"
    | "timestampUnit"
    | "timestampOffset"
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

export const secretHelp: Section = {
  title: `The secret, required (${secretName}, or --secret-stdin)`,
  rows: [
    ["hmac", "the key"],
    ["standard-webhooks", "whsec_ and the key in base64"],
    ["basic", "user:password"],
    ["none", "no secret: the notification is not signed"],
  ],
};

/** Adds the options that choose a scheme. They are named as those of `hmac()`. */
export function addSchemeOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--auth <scheme>", "how to sign it; see below for its secret")
        .choices(Object.keys(schemes))
        .default("hmac"),
    )
    .option("--header <name>", "hmac: the signature's header", "x-signature")
    .addOption(
      new Option("--encoding <name>", "hmac: of the signature").choices(["hex", "base64", "base64url"]).default("hex"),
    )
    .option("--prefix <text>", "hmac: what stands before the signature, such as sha256=", "")
    .addOption(
      new Option("--signed <parts>", "hmac: what is signed (default: body)").choices(Object.keys(signedPresets)),
    )
    .option("--fields <list>", "hmac: one header for everything, such as signature=v1,timestamp=t")
    .option("--id-header <name>", "hmac: a header with an identifier")
    .option("--timestamp-header <name>", "a header with the time of sending")
    .addOption(
      new Option("--timestamp-format <format>", "of the timestamp (default: unix)").choices([
        "unix",
        "iso",
        "YYYY-MM-DD HH:mm:ss",
      ]),
    )
    .addOption(
      new Option("--timestamp-unit <unit>", "of a unix timestamp (default: seconds)").choices([
        "seconds",
        "milliseconds",
      ]),
    )
    .option("--timestamp-offset <offset>", "of YYYY-MM-DD HH:mm:ss (default: +05:30)")
    .option("--nonce-header <name>", "a header with a nonce, a new one for each delivery")
    .option("--secret-stdin", `read the secret from standard input instead of ${secretName}`);
}

/** The checks to satisfy. @throws ConfigurationError for options that do not fit together, or a missing secret. */
export async function readScheme(flags: SchemeFlags, command: Command): Promise<readonly WebhookCheck[]> {
  const { auth } = flags;
  const unused = onlyFor[auth].find((name) => command.getOptionValueSource(name) === "cli");
  if (unused !== undefined) {
    const option = command.options.find((known) => known.attributeName() === unused)?.long;
    throw new ConfigurationError(`${option} has no effect with --auth ${auth}.`);
  }
  return schemes[auth](auth === "none" ? "" : await readSecret(flags), flags);
}

const hmacOnly = ["header", "encoding", "prefix", "signed", "fields", "idHeader"];
const timed = ["timestampHeader", "timestampFormat", "timestampUnit", "timestampOffset", "nonceHeader"];

/** The options that a scheme does not read. */
const onlyFor: Readonly<Record<SchemeName, readonly string[]>> = {
  hmac: [],
  "standard-webhooks": [...hmacOnly, ...timed],
  basic: hmacOnly,
  none: [...hmacOnly, "secretStdin"],
};

const schemes: Readonly<Record<SchemeName, (secret: string, flags: SchemeFlags) => readonly WebhookCheck[]>> = {
  hmac: (secret: string, { header, encoding, prefix, signed, idHeader, fields, ...rest }: SchemeFlags) => [
    hmac({
      ...{ header, encoding, prefix, signed, idHeader, secrets: [secret] },
      ...timing(rest),
      ...(fields !== undefined && { fields: readFields(fields) }),
    }),
  ],
  "standard-webhooks": (secret: string) => [standardWebhooks({ secrets: [secret] })],
  basic: (secret: string, flags: SchemeFlags) => {
    const colon = secret.indexOf(":");
    if (colon === -1) throw new ConfigurationError("basic: the secret is user:password, and the colon is missing.");
    const credential = { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
    return [basic({ credentials: [credential] }), ...headersOfTime(flags)];
  },
  none: (_: string, flags: SchemeFlags) => headersOfTime(flags),
};

type Timing = Pick<
  SchemeFlags,
  "timestampHeader" | "timestampFormat" | "timestampUnit" | "timestampOffset" | "nonceHeader"
>;

function timing({ timestampHeader, timestampFormat, timestampUnit, timestampOffset, nonceHeader }: Timing): Timing {
  return { timestampHeader, timestampFormat, timestampUnit, timestampOffset, nonceHeader };
}

/** Beside a scheme that signs nothing, a timestamp and a nonce are headers like others. */
function headersOfTime(flags: SchemeFlags): readonly WebhookCheck[] {
  const { timestampHeader, ...others } = timing(flags);
  if (timestampHeader !== undefined) return [freshness({ ...others, timestampHeader })];
  if (Object.values(others).every((value) => value === undefined)) return [];
  throw new ConfigurationError("--timestamp-header is missing: the other options of a timestamp and a nonce need it.");
}

/** The names are checked by `hmac()` itself. */
function readFields(list: string): SignatureFields {
  const entries = list.split(",").map((entry) => {
    const [name = "", value = "", more] = entry.split("=").map((part) => part.trim());
    if (name !== "" && value !== "" && more === undefined) return [name, value] as const;
    throw new ConfigurationError("--fields is a list such as signature=v1,timestamp=t.");
  });
  return { signature: "", ...Object.fromEntries(entries) };
}

/** Never from the command line, which every user of the machine can see. */
async function readSecret({ secretStdin }: SchemeFlags): Promise<string> {
  const secret = secretStdin ? (await readAll(process.stdin)).replace(/\r?\n$/, "") : process.env[secretName];
  if (secret) return secret;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}
