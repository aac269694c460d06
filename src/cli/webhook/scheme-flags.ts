import { type Command, Option } from "commander";
import { type HmacOptions, signedPresets } from "../../webhooks/auth/hmac.ts";
import type { DescriptionList } from "../shared/description-list.ts";
import { readMilliseconds } from "../shared/read-flags.ts";

const schemeNames = ["hmac", "standard-webhooks", "basic", "none"] as const;

/** A scheme of `--auth`. */
export type SchemeName = (typeof schemeNames)[number];

/** The flags that set how a notification is signed. */
export interface SchemeFlags
  extends Pick<
    HmacOptions,
    "encoding" | "prefix" | "timestampHeader" | "timestampFormat" | "tolerance" | "nonceHeader"
  > {
  readonly auth: SchemeName;
  readonly header: string;
  readonly signed?: (typeof signedPresets)[number];
  readonly secretStdin?: boolean;
}

/** The variable that holds the secret. */
export const secretName = "SERVICEAPI_WEBHOOK_SECRET";

/** The form of the secret of each scheme, for the end of a help text. */
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
      new Option("--auth <scheme>", "scheme that proves the sender; see below for its secret")
        .choices(schemeNames)
        .default("hmac"),
    )
    .option("--header <name>", "hmac: header with the signature", "x-signature")
    .addOption(
      new Option("--encoding <name>", "hmac: encoding of the signature")
        .choices(["hex", "base64", "base64url"])
        .default("hex"),
    )
    .option("--prefix <text>", "hmac: text before the signature, such as sha256=", "")
    .addOption(new Option("--signed <parts>", "hmac: signed parts (default: body)").choices(signedPresets))
    .option("--timestamp-header <name>", "header with the time of sending")
    .addOption(
      new Option("--timestamp-format <format>", "format of the timestamp (default: unix)").choices([
        "unix",
        "milliseconds",
        "iso",
        "YYYY-MM-DD HH:mm:ss",
      ]),
    )
    .option("--nonce-header <name>", "header with a nonce, new for each delivery")
    .option("--secret-stdin", `read the secret from standard input instead of ${secretName}`);
}
