import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A registry on a loopback port, in memory. */
export interface Registry {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The body of `npm publish`: the description of a package, and its tarball in base64. */
interface Publication {
  readonly name: string;
  readonly versions: Readonly<Record<string, object>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** Starts a registry that takes packages from `npm publish` and serves them to `npm install`. It knows no others. */
export async function startRegistry(): Promise<Registry> {
  const descriptions = new Map<string, Publication>();
  const tarballs = new Map<string, Buffer>();

  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://127.0.0.1").pathname).slice(1);
    const tarball = tarballs.get(path.replace(/^.*\/-\//, ""));
    const description = descriptions.get(path);
    if (request.method === "PUT") {
      const fault = publish(await json(request as IncomingMessage));
      response.writeHead(fault === undefined ? 201 : 403).end(JSON.stringify({ error: fault }));
    } else if (tarball !== undefined) response.end(tarball);
    else if (description !== undefined) response.end(JSON.stringify(description));
    else response.writeHead(404).end("{}");
  });

  /** Returns why a publication is refused. As on npm, a version can be published once. */
  function publish(body: unknown): string | undefined {
    const { _attachments: attachments, ...description } = body as Publication;
    const known = descriptions.get(description.name)?.versions ?? {};
    const again = Object.keys(description.versions).find((version) => Object.hasOwn(known, version));
    if (again !== undefined) return `${again} was published before`;
    const versions = { ...known, ...description.versions };
    descriptions.set(description.name, { ...description, versions, _attachments: {} });
    for (const [name, { data }] of Object.entries(attachments)) tarballs.set(name, Buffer.from(data, "base64"));
    return undefined;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
