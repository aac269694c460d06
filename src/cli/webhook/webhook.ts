import { type Command, InvalidArgumentError } from "commander";
import { cleanText } from "../shared/clean-text.ts";
import { action, helpText } from "../shared/command.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { addOptions, type FlagsOf, jsonOption, option, required } from "../shared/options.ts";
import { print, printJson } from "../shared/print.ts";
import { registerFireCommand } from "./fire.ts";
import { registerListenCommand } from "./listen.ts";
import { registerSignCommand } from "./sign.ts";
import { registerVerifyCommand } from "./verify.ts";

const examples = `
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in --website www.example.in --json
`;

const options = [
  required(option("--brand <domain>", "the brand domain registered in the account", readDomain)),
  option("--website <domain>", "the whitelisted website domain", readDomain),
  option("--live", "also connect to it and check TLS, certificate and redirects"),
  jsonOption("print the report as JSON"),
] as const;

/** `serviceapi webhook check-url`: whether the service would accept a callback URL (§6.6). */
function registerCheckUrlCommand(webhook: Command): void {
  const checkUrl = webhook
    .command("check-url")
    .description("check whether the service would accept a callback URL; exit code 1 if not")
    .argument("<url>", "the URL as it would be registered");
  addOptions(checkUrl, options).addHelpText("after", helpText(examples)).action(action(run));
}

/** People copy a domain from the address bar. */
function readDomain(domain: string): string {
  if (!/^https?:\/\//i.test(domain)) return domain;
  throw new InvalidArgumentError("Leave out https://: it is a domain, such as example.in.");
}

async function run(url: string, { brand, website, live, json }: FlagsOf<typeof options>): Promise<ExitCode> {
  const { checkCallbackUrl, checkCallbackUrlLive } = await import("../../callback-url/index.ts");
  const domains = { brandDomain: brand, websiteDomain: website };
  const report = live ? await checkCallbackUrlLive(url, domains) : checkCallbackUrl(url, domains);
  const { ok, problems, unchecked } = report;
  const notChecked = {
    websiteDomain: "whether it matches the whitelisted website (--website)",
    connection: `whether it can be reached over TLS with a valid certificate (--live)${live ? ": the URL has to be accepted first" : ""}`,
  };
  if (json) {
    printJson(report);
  } else {
    if (ok) print("✔ accepted");
    for (const check of unchecked) print(`! not checked: ${notChecked[check]}`);
    // A certificate or a redirect may be part of the message.
    for (const { code, message } of problems) print(cleanText(`✖ ${code}: ${message}`));
  }
  return ok ? exitCodes.done : exitCodes.failed;
}

/** `serviceapi webhook …`: checks of a receiver before its callback URL goes live (§6.5.4, §6.6). */
export function registerWebhookCommands(program: Command): void {
  const webhook = program
    .command("webhook")
    .description("test a webhook receiver and its callback URL, and receive on this machine");
  registerFireCommand(webhook);
  registerSignCommand(webhook);
  registerVerifyCommand(webhook);
  registerListenCommand(webhook);
  registerCheckUrlCommand(webhook);
}
