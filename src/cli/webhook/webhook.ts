import { type Command, InvalidArgumentError } from "commander";
import { declareCommand, jsonOption, option } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { cleanText, printResult } from "../shared/print.ts";
import { addFire } from "./fire.ts";
import { addListen } from "./listen.ts";
import { addSign } from "./sign.ts";
import { addVerify } from "./verify.ts";

const addCheckUrl = declareCommand("check-url", {
  description: "check whether the service would accept a callback URL; exit code 1 if not",
  args: { "<url>": "the URL as it would be registered" },
  options: [
    option("--brand <domain>", "the brand domain registered in the account", readDomain).makeOptionMandatory(),
    option("--website <domain>", "the whitelisted website domain", readDomain),
    option("--live", "also connect to it and check TLS, certificate and redirects"),
    jsonOption("print the report as JSON"),
  ],
  examples: `
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in
  $ npx serviceapi webhook check-url https://pay.example.in/hook --brand example.in --website www.example.in --json
`,
  async run(flags, [url = ""]) {
    const { brand, website, live } = flags;
    const { checkCallbackUrl, checkCallbackUrlLive } = await import("../../callback-url/index.ts");
    const domains = { brandDomain: brand, websiteDomain: website };
    const report = live ? await checkCallbackUrlLive(url, domains) : checkCallbackUrl(url, domains);
    const { ok, problems, unchecked } = report;
    const notChecked = {
      websiteDomain: "whether it matches the whitelisted website (--website)",
      connection: `whether it can be reached over TLS with a valid certificate (--live)${live ? ": the URL has to be accepted first" : ""}`,
    };
    const lines = [
      ...(ok ? ["✔ accepted"] : []),
      ...unchecked.map((check) => `! not checked: ${notChecked[check]}`),
      // A certificate or a redirect may be part of the message.
      ...problems.map(({ code, message }) => cleanText(`✖ ${code}: ${message}`)),
    ];
    printResult(flags, report, () => lines.join("\n"));
    return ok ? exitCodes.done : exitCodes.failed;
  },
});

/** People copy a domain from the address bar. */
function readDomain(domain: string): string {
  if (!/^https?:\/\//i.test(domain)) return domain;
  throw new InvalidArgumentError("Leave out https://: it is a domain, such as example.in.");
}

export function addWebhook(program: Command): void {
  const webhook = program
    .command("webhook")
    .description("test a webhook receiver and its callback URL, and receive on this machine");
  for (const add of [addFire, addSign, addVerify, addListen, addCheckUrl]) add(webhook);
}
