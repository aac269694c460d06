#!/usr/bin/env node
import { Command } from "commander";
import { version } from "../version.ts";
import { registerEmulatorCommand } from "./emulator/emulator.ts";
import { registerWebhookCommands } from "./webhook/webhook.ts";

const program = new Command("serviceapi")
  .description("Tools of the serviceapi package")
  .version(version)
  .showHelpAfterError("(see serviceapi help <command>)");

registerEmulatorCommand(program);
registerWebhookCommands(program);

void program.parseAsync();
