import type { Command } from "commander";
import { checkCallbackUrl, checkCallbackUrlLive } from "../../callback-url/index.ts";
import { ConfigurationError } from "../../errors/request.ts";

interface CheckUrlFlags {
  readonly brand: string;
  readonly website?: string;
  readonly live?: boolean;
}

/** `serviceapi webhook check-url`: whether the service would accept a callback URL (§6.6). */
export function registerCheckUrlCommand(webhook: Command): void {
  webhook
    .command("check-url")
    .description("check whether the service would accept a callback URL; exit code 1 if not")
    .argument("<url>", "the URL as it would be registered")
    .requiredOption("--brand <domain>", "the brand domain registered in the account")
    .option("--website <domain>", "the whitelisted website domain")
    .option("--live", "also connect to it and check TLS, certificate and redirects")
    .action(run);
}

const notChecked = {
  websiteDomain: "whether it matches the whitelisted website (--website)",
  connection: "whether it can be reached over TLS with a valid certificate (--live)",
};

async function run(url: string, { brand, website, live }: CheckUrlFlags, command: Command): Promise<void> {
  const options = { brandDomain: brand, websiteDomain: website };
  try {
    const { ok, problems, unchecked } = live
      ? await checkCallbackUrlLive(url, options)
      : checkCallbackUrl(url, options);
    if (ok) process.stdout.write("✔ accepted\n");
    for (const check of unchecked) process.stdout.write(`! not checked: ${notChecked[check]}\n`);
    for (const { code, message } of problems) process.stdout.write(`✖ ${code}: ${message}\n`);
    process.exitCode = ok ? 0 : 1;
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    command.error(`error: ${error.message}`);
  }
}
