import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { reply, startServer } from "../support/server.ts";
import { startApplication } from "./application.ts";
import { application, lookUps } from "./paths.ts";

it("look-ups reach the service each time, from a page that was built and from a route that caches by default", {
  timeout: 180_000,
}, async () => {
  let count = 0;
  const service = await startServer((response) => {
    const vpa = `call-${++count}@examplebank`;
    const clientData = { client_id: "demo-client", mobile: "6000000001" };
    reply(response, 200, { status: "SUCCESS", status_code: "200", clientData, count: 1, vpa, vpaList: [vpa] });
  });
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
  const { url, stop } = await startApplication(settings, lookUps);
  onTestFinished(stop);
  for (const path of ["page", "default-cache"]) {
    for (let call = count + 1, last = count + 3; call <= last; call++) {
      const response = await fetch(`${url}/${path}`);
      expect(await response.text(), path).toContain(`call-${call}@examplebank`);
    }
  }
});
