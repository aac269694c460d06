import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { fastifyWebhook, fileJournal, koaHandler, lambdaHandler, nodeFetch, nodeHandler } from "serviceapi/node";
import { journalSuite } from "serviceapi/testing";
import { runProgram } from "./program.mjs";

async function main() {
  await useSockets();
  await useFiles();
  return runProgram({
    hasNode: true,
    adapters: [nodeHandler, koaHandler, lambdaHandler, (handler) => fastifyWebhook(handler, "/hook")],
  });
}

async function useSockets() {
  const service = await createEmulator({ pace: 0 }).listen();
  const fetch = nodeFetch();
  const api = new ServiceApi({ baseUrl: service.url, clientId: "demo", clientSecret: "demo-secret", fetch });
  await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  await api.ai.stream({ user: { text: "hello" } }).finalText();
  await service.close();
}

async function useFiles() {
  const folder = await mkdtemp(join(tmpdir(), "serviceapi-bundle-"));
  const [first] = journalSuite(() => fileJournal(join(folder, "bookings.jsonl")));
  await first.run();
  await rm(folder, { recursive: true });
}

// Not a top-level `await`: in the one file that Rollup makes, what is imported later does not exist before that ends.
main().then(console.log);
