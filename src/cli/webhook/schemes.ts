import { ConfigurationError } from "../../errors/request.ts";
import { type BasicCredential, basic } from "../../webhooks/auth/basic.ts";
import { freshness } from "../../webhooks/auth/freshness.ts";
import { hmac, signedPresets, standardWebhooks } from "../../webhooks/auth/hmac.ts";
import { checkLine, lastEnd } from "../../webhooks/auth/secret.ts";
import type { Auth } from "../../webhooks/options.ts";
import { type FlagsOf, option, readers, type Unused } from "../shared/command.ts";
import { readSecret } from "../shared/input.ts";

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

export const secretHelp = {
  [`The secret (${secretName}, or --secret-stdin)`]: {
    hmac: "the key",
    "standard-webhooks": "whsec_ and the key in base64",
    basic: "user:password",
    none: "no secret; nothing is signed",
    several: "one on each line of the variable, the current one first",
  },
};

const timestampFormats = ["unix", "milliseconds", "iso", "YYYY-MM-DD HH:mm:ss"] as const;

/** The options that choose a scheme. They have the names of those of `hmac()`. */
export const schemeOptions = [
  option("--auth <scheme>", "scheme that proves the sender; see below for its secret")
    .choices(["hmac", "standard-webhooks", "basic", "none"])
    .default("hmac"),
  option("--header <name>", "hmac: header with the signature").default("x-signature"),
  option("--encoding <name>", "hmac: encoding of the signature").choices(["hex", "base64", "base64url"]).default("hex"),
  option("--prefix <text>", "hmac: text before the signature, such as sha256=").default(""),
  option("--signed <parts>", "hmac: signed parts (default: body)").choices(signedPresets),
  option("--timestamp-header <name>", "header with the time of sending"),
  option("--timestamp-format <format>", "format of the timestamp (default: unix)").choices(timestampFormats),
  option("--nonce-header <name>", "header with a nonce, new for each delivery"),
  option("--secret-stdin", `read the secret from standard input instead of ${secretName}`),
] as const;

export const receiverOptions = [
  ...schemeOptions,
  option("--tolerance <ms>", "how far a timestamp may differ from the clock (default: 300000)", readers.milliseconds),
] as const;

type SchemeFlags = FlagsOf<typeof receiverOptions>;

export async function readScheme(flags: SchemeFlags): Promise<Auth> {
  const { auth, header, encoding, prefix, signed, timestampHeader, timestampFormat, nonceHeader, tolerance } = flags;
  refuseSharedHeader(flags);
  const secrets = auth === "none" ? [] : await readSecrets(flags);
  const timing = { timestampFormat, nonceHeader, tolerance };
  if (auth === "hmac") return [hmac({ header, encoding, prefix, signed, secrets, timestampHeader, ...timing })];
  if (auth === "standard-webhooks") return [standardWebhooks({ secrets, tolerance })];
  // These do not sign headers: timestamp and nonce are sent as they are.
  const checks = [
    ...(auth === "basic" ? [basic({ credentials: secrets.map(readCredential) })] : []),
    ...(timestampHeader === undefined ? [] : [freshness({ timestampHeader, ...timing })]),
  ];
  return checks.length === 0 ? "none" : checks;
}

export function unusedByScheme({ auth, timestampHeader }: SchemeFlags): readonly Unused[] {
  const isUntimed = timestampHeader === undefined && (auth === "basic" || auth === "none");
  return [
    [`with --auth ${auth}`, ...unused[auth]],
    isUntimed && ["without --timestamp-header", "timestampFormat", "nonceHeader", "tolerance"],
  ];
}

const hmacOnly = ["header", "encoding", "prefix", "signed"];

/** The options that do nothing with a scheme. */
const unused: Readonly<Record<SchemeFlags["auth"], readonly string[]>> = {
  hmac: [],
  "standard-webhooks": [...hmacOnly, "timestampHeader", "timestampFormat", "nonceHeader"],
  basic: hmacOnly,
  none: [...hmacOnly, "secretStdin"],
};

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
    if (header === undefined || unused[flags.auth].includes(key)) continue;
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

/** Reads the secrets, but not from the command line, which every user of the machine can see. */
async function readSecrets({ secretStdin }: SchemeFlags): Promise<readonly string[]> {
  const lines = (process.env[secretName] ?? "").replace(lastEnd, "").split(/\r?\n/);
  const secrets = secretStdin ? [await readSecret()] : lines.map((line) => checkLine("--auth", line));
  if (secrets.some((secret) => secret !== "")) return secrets;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}
