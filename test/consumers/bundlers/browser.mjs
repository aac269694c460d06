import { setupWorker } from "msw/browser";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { emulatorHandlers } from "serviceapi/msw";
import { runProgram } from "./program.mjs";

globalThis.tests = {
  program: () => runProgram({ hasNode: false }),

  /** The page's own `fetch`, whose requests Mock Service Worker passes to the emulator. */
  async msw() {
    const baseUrl = "https://api.example.com";
    const emulator = createEmulator({ pace: 0 });
    const worker = setupWorker(...emulatorHandlers(emulator, { baseUrl }));
    await worker.start({ quiet: true, onUnhandledRequest: "bypass" });
    const api = new ServiceApi({ baseUrl, clientId: "demo", clientSecret: "demo", dangerouslyAllowBrowser: true });
    const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    const text = await api.ai.stream({ user: { text: "hello" } }).finalText();
    worker.stop();
    return `${vpaList.length} VPAs, ${text.includes("> hello") ? "the text" : text}, ${emulator.requests.length} requests`;
  },
};
