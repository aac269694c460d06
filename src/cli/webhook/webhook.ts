import type { Command } from "commander";
import { registerCheckUrlCommand } from "./check-url.ts";
import { registerFireCommand } from "./fire.ts";

/** `serviceapi webhook …`: what one needs before the callback URL goes live (§6.5.4, §6.6). */
export function registerWebhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("try out a webhook receiver and its address");
  registerFireCommand(webhook);
  registerCheckUrlCommand(webhook);
}
