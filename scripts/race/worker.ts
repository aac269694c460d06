/** One of the processes that receive payouts. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Message } from "./processes.ts";
import { createReceiver } from "./receiver.ts";
import { openStore, type StoreName } from "./stores.ts";

const [, , name, url = ""] = process.argv;
const tell = (message: Message) => process.send?.(message);
const server = createReceiver(await openStore(name as StoreName, url), true, (count) => void tell({ count }));
server.listen(0, "127.0.0.1");
await once(server, "listening");
tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
process.once("disconnect", () => process.exit());
