import { ConfigurationError } from "../../errors/request.ts";
import { type BasicCredential, basic } from "../../webhooks/auth/basic.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { freshness } from "../../webhooks/auth/freshness.ts";
import { hmac, signedPresets, standardWebhooks } from "../../webhooks/auth/hmac.ts";
import { checkLine, lastEnd } from "../../webhooks/auth/secret.ts";
import { type FlagsOf, option, readMilliseconds, type Unused } from "../shared/command.ts";
import { readSecret } from "../shared/input.ts";
import type { DescriptionList } from "../shared/layout.ts";

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

export const secretHelp: DescriptionList = {
  title: `The secret (${secretName}, or --secret-stdin)`,
  items: [
    ["hmac", "the key"],
    ["standard-webhooks", "whsec_ and the key in base64"],
    ["basic", "user:password"],
    ["none", "no secret; nothing is signed"],
    ["several", "one on each line of the variable, the current one first"],
  ],
};

const schemeNames = ["hmac", "standard-webhooks", "basic", "none"] as const;
const encodings = ["hex", "base64", "base64url"] as const;
const timestampFormats = ["unix", "milliseconds", "iso", "YYYY-MM-DD HH:mm:ss"] as const;

/** The options that choose a scheme. They have the names of those of `hmac()`. */
export const schemeOptions = [
  option("--auth <scheme>", "scheme that proves the sender; see below for its secret")
    .choices(schemeNames)
    .default("hmac"),
  option("--header <name>", "hmac: header with the signature").default("x-signature"),
  option("--encoding <name>", "hmac: encoding of the signature").choices(encodings).default("hex"),
  option("--prefix <text>", "hmac: text before the signature, such as sha256=").default(""),
  option("--signed <parts>", "hmac: signed parts (default: body)").choices(signedPresets),
  option("--timestamp-header <name>", "header with the time of sending"),
  option("--timestamp-format <format>", "format of the timestamp (default: unix)").choices(timestampFormats),
  option("--nonce-header <name>", "header with a nonce, new for each delivery"),
  option("--secret-stdin", `read the secret from standard input instead of ${secretName}`),
] as const;

export const receiverOptions = [
  ...schemeOptions,
  option("--tolerance <ms>", "how far a timestamp may differ from the clock (default: 300000)", readMilliseconds),
] as const;

type SchemeFlags = FlagsOf<typeof receiverOptions>;
type SchemeName = SchemeFlags["auth"];

export async function readScheme(flags: SchemeFlags): Promise<readonly WebhookCheck[] | "none"> {
  const { auth } = flags;
  refuseSharedHeader(flags);
  const checks = schemes[auth].checksOf(auth === "none" ? [] : await readSecrets(flags), flags);
  return checks.length === 0 ? "none" : checks;
}

export function unusedByScheme({ auth, timestampHeader }: SchemeFlags): readonly Unused[] {
  const isUntimed = timestampHeader === undefined && (auth === "basic" || auth === "none");
  return [
    [`with --auth ${auth}`, ...schemes[auth].unused],
    isUntimed && ["without --timestamp-header", "timestampFormat", "nonceHeader", "tolerance"],
  ];
}

const hmacOnly = ["header", "encoding", "prefix", "signed"];

const schemes: Readonly<Record<SchemeName, Scheme>> = {
  hmac: {
    unused: [],
    checksOf(secrets, { header, encoding, prefix, signed, timestampHeader, timestampFormat, nonceHeader, tolerance }) {
      const timing = { timestampHeader, timestampFormat, nonceHeader, tolerance };
      return [hmac({ header, encoding, prefix, signed, secrets, ...timing })];
    },
  },
  "standard-webhooks": {
    unused: [...hmacOnly, "timestampHeader", "timestampFormat", "nonceHeader"],
    checksOf: (secrets, { tolerance }) => [standardWebhooks({ secrets, tolerance })],
  },
  basic: {
    unused: hmacOnly,
    checksOf: (secrets, flags) => [basic({ credentials: secrets.map(readCredential) }), ...headersOfTime(flags)],
  },
  none: { unused: [...hmacOnly, "secretStdin"], checksOf: (_, flags) => headersOfTime(flags) },
};

interface Scheme {
  readonly unused: readonly string[];
  readonly checksOf: (secrets: readonly string[], flags: SchemeFlags) => readonly WebhookCheck[];
}

const headerFlags = [
  ["header", "--header"],
  ["timestampHeader", "--timestamp-header"],
  ["nonceHeader", "--nonce-header"],
] as const;

/** Refuses two values in one header: its name is the same in any case. */
function refuseSharedHeader(flags: SchemeFlags): void {
  const owners = new Map([["content-type", "the content type"]]);
  if (flags.auth === "basic") owners.set("authorization", "the credentials");
  for (const [key, flag] of headerFlags) {
    const header = flags[key]?.toLowerCase();
    if (header === undefined || schemes[flags.auth].unused.includes(key)) continue;
    const owner = owners.get(header);
    if (owner !== undefined) throw new ConfigurationError(`${flag} names the header of ${owner}. Pass another name.`);
    owners.set(header, flag);
  }
}

function readCredential(secret: string): BasicCredential {
  const colon = secret.indexOf(":");
  if (colon !== -1) return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
  throw new ConfigurationError("basic: the secret must be user:password, but the colon is missing.");
}

/** A scheme that does not sign headers sends timestamp and nonce as they are. */
function headersOfTime(flags: SchemeFlags): readonly WebhookCheck[] {
  const { timestampHeader, timestampFormat, nonceHeader, tolerance } = flags;
  return timestampHeader === undefined ? [] : [freshness({ timestampHeader, timestampFormat, nonceHeader, tolerance })];
}

/** Reads the secrets, but not from the command line, which every user of the machine can see. */
async function readSecrets({ secretStdin }: SchemeFlags): Promise<readonly string[]> {
  const lines = (process.env[secretName] ?? "").replace(lastEnd, "").split(/\r?\n/);
  const secrets = secretStdin ? [await readSecret()] : lines.map((line) => checkLine("--auth", line));
  if (secrets.some((secret) => secret !== "")) return secrets;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}
