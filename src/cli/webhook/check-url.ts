import { type Command, InvalidArgumentError } from "commander";
import { action } from "../shared/action.ts";
import { cleanText } from "../shared/clean-text.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { addJsonFlag } from "../shared/output-flags.ts";
import { print, printJson } from "../shared/print.ts";

interface CheckUrlFlags {
  readonly brand: string;
  readonly website?: string;
  readonly live?: boolean;
  readonly json?: boolean;
}

const examples = `
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in --website www.example.in --json
`;

/** `serviceapi webhook check-url`: whether the service would accept a callback URL (§6.6). */
export function registerCheckUrlCommand(webhook: Command): void {
  const checkUrl = webhook
    .command("check-url")
    .description("check whether the service would accept a callback URL; exit code 1 if not")
    .argument("<url>", "the URL as it would be registered")
    .requiredOption("--brand <domain>", "the brand domain registered in the account", readDomain)
    .option("--website <domain>", "the whitelisted website domain", readDomain)
    .option("--live", "also connect to it and check TLS, certificate and redirects");
  addJsonFlag(checkUrl, "print the report as JSON").addHelpText("after", helpText(examples)).action(action(run));
}

const notChecked = {
  websiteDomain: "whether it matches the whitelisted website (--website)",
  connection: "whether it can be reached over TLS with a valid certificate (--live)",
};

/** Returns why a check was not made, as far as the flags do not say it. */
function reasonFor(check: keyof typeof notChecked, live = false): string {
  return check === "connection" && live ? ": the URL has to be accepted first" : "";
}

/** People copy a domain from the address bar. */
function readDomain(domain: string): string {
  if (!/^https?:\/\//i.test(domain)) return domain;
  throw new InvalidArgumentError("Leave out https://: it is a domain, such as example.in.");
}

async function run(url: string, { brand, website, live, json }: CheckUrlFlags): Promise<ExitCode> {
  const { checkCallbackUrl, checkCallbackUrlLive } = await import("../../callback-url/index.ts");
  const options = { brandDomain: brand, websiteDomain: website };
  const report = live ? await checkCallbackUrlLive(url, options) : checkCallbackUrl(url, options);
  const { ok, problems, unchecked } = report;
  if (json) {
    printJson(report);
  } else {
    if (ok) print("✔ accepted");
    for (const check of unchecked) print(`! not checked: ${notChecked[check]}${reasonFor(check, live)}`);
    // A certificate or a redirect may be part of the message.
    for (const { code, message } of problems) print(cleanText(`✖ ${code}: ${message}`));
  }
  return ok ? exitCodes.done : exitCodes.failed;
}
