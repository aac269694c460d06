#!/usr/bin/env node
import { Command } from "commander";
import { version } from "../version.ts";
import { registerEmulatorCommand } from "./emulator/emulator.ts";
import { registerWebhookCommands } from "./webhook/webhook.ts";

const program = new Command("serviceapi")
  .description("Tools of the serviceapi package")
  .version(version)
  .showHelpAfterError("(serviceapi help <command> shows what there is)");

registerEmulatorCommand(program);
registerWebhookCommands(program);

await program.parseAsync();
