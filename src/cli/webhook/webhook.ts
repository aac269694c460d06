import type { Command } from "commander";
import { registerCheckUrlCommand } from "./check-url.ts";
import { registerFireCommand } from "./fire.ts";
import { registerListenCommand } from "./listen.ts";
import { registerSignCommand } from "./sign.ts";
import { registerVerifyCommand } from "./verify.ts";

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
