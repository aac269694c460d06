import type { Command } from "commander";
import { registerCheckUrlCommand } from "./check-url.ts";
import { registerFireCommand } from "./fire.ts";

/** `serviceapi webhook …`: checks of a receiver before its callback URL goes live (§6.5.4, §6.6). */
export function registerWebhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("test a webhook receiver and its callback URL");
  registerFireCommand(webhook);
  registerCheckUrlCommand(webhook);
}
