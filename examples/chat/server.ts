import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { type Context, Hono } from "hono";
import type { ServiceApi } from "serviceapi";
import { relayTurn } from "serviceapi/ai";

const types = { html: "text/html", css: "text/css", js: "text/javascript" } as const;
const page = (name: string) => readFile(new URL(`page/${name}`, import.meta.url), "utf8");

/**
 * Creates a server with a page and one route. The browser never sees the credentials or a context token: the server keeps
 * the conversation, and the browser sends only text.
 */
export function createChat(api: ServiceApi): Hono {
  const db = new DatabaseSync(":memory:"); // or the path of a file
  db.exec("CREATE TABLE chats (id TEXT PRIMARY KEY, saved TEXT NOT NULL)");
  const create = db.prepare("INSERT OR IGNORE INTO chats VALUES (?, ?)");
  const find = db.prepare("SELECT saved FROM chats WHERE id = ?");
  const replace = db.prepare("UPDATE chats SET saved = ? WHERE id = ? AND saved = ?");
  const app = new Hono();

  const show = (name: string, type: keyof typeof types) => async (context: Context) =>
    context.body(await page(name), 200, { "content-type": `${types[type]}; charset=utf-8` });
  app.get("/", show("index.html", "html"));
  app.get("/chat.css", show("chat.css", "css"));
  app.get("/chat.js", show("chat.js", "js"));
  app.get("/markdown.js", show("markdown.js", "js"));

  app.post("/chat/:id", async (context) => {
    const { text, turns } = await context.req.json<{ text: string; turns: number }>();
    const id = context.req.param("id");
    create.run(id, JSON.stringify(api.ai.conversation()));
    const load = () => find.get(id)?.saved;
    const save = (next: string, previous: string) => replace.run(next, id, previous).changes;
    // A reader who leaves or presses stop ends the call to the service, and frees the conversation.
    return relayTurn(api.ai, { text, turns, load, save }, { signal: context.req.raw.signal });
  });

  return app;
}
