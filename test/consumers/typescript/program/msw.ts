import type { HttpHandler } from "msw";
import { setupServer } from "msw/node";
import { createEmulator } from "serviceapi/emulator";
import { emulatorHandlers } from "serviceapi/msw";
import { type Same, sure } from "./any.js";

const handlers = emulatorHandlers(createEmulator(), { baseUrl: "https://api.example.com" });
sure<Same<typeof handlers, HttpHandler[]>>();
export const server = setupServer(...handlers);
