/** One process of the fleet: sends its port, and then the actions of its handlers. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openLab, type StoreName } from "./lab.ts";
import { createReceiver } from "./receiver.ts";

const [, , name, url = ""] = process.argv;
const lab = await openLab(name as StoreName, url);
const server = createReceiver(lab, true, (what) => void process.send?.({ count: what }));
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });
process.once("disconnect", () => process.exit());
