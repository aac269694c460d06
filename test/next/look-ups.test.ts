import { rm, symlink } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Answer, reply, startServer } from "../support/server.ts";
import { eventOf } from "../webhooks/support.ts";
import { type RunningApplication, startApplication } from "./application.ts";
import { application, lookUps } from "./paths.ts";

const timeout = 180_000;

/** Starts the application with a service that responds like this. */
async function startLookUps(answer: Answer): Promise<RunningApplication> {
  const service = await startServer(answer);
  const links = join(lookUps, "node_modules");
  const unlink = () => rm(links, { force: true });
  await unlink();
  await symlink(join(application, "node_modules"), links);
  onTestFinished(unlink);
  const settings = {
    SERVICEAPI_BASE_URL: service.url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "of-this-run-alone",
  };
  return startApplication(settings, lookUps);
}

it("look-ups reach the service each time, from a page that was built and from a route that caches by default", {
  timeout,
}, async () => {
  let count = 0;
  const { url, stop } = await startLookUps((response) => {
    const vpa = `call-${++count}@examplebank`;
    const clientData = { client_id: "demo-client", mobile: "6000000001" };
    reply(response, 200, { status: "SUCCESS", status_code: "200", clientData, count: 1, vpa, vpaList: [vpa] });
  });
  onTestFinished(stop);
  for (const path of ["page", "default-cache"]) {
    for (let call = count + 1, last = count + 3; call <= last; call++) {
      const response = await fetch(`${url}/${path}`);
      expect(await response.text(), path).toContain(`call-${call}@examplebank`);
    }
  }
});

it("the work of a delivery that was passed to `after` ends before a process that got SIGTERM", {
  timeout,
}, async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const requested: string[] = [];
  const { url, stop } = await startLookUps((response, { path }) => {
    requested.push(path);
    if (path === "/work") begun.resolve(response);
    else reply(response, 404, {});
  });
  const delivery = await fetch(`${url}/late`, { method: "POST", body: JSON.stringify(eventOf("SUCCESS")) });
  expect(await delivery.json()).toMatchObject({ status: "FAILED" });
  const work = await begun.promise;
  const stopped = stop();
  while (await isListening(url));
  reply(work, 200, {});
  await stopped;
  expect(requested.at(-1)).toBe("/done");
});

function isListening(url: string): Promise<boolean> {
  return fetch(url, { headers: { connection: "close" } }).then(
    () => true,
    () => false,
  );
}
