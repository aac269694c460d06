import { readFile } from "node:fs/promises";
import { type Context, Hono } from "hono";
import type { Conversation, ServiceApi } from "serviceapi";

const types = { html: "text/html", css: "text/css", js: "text/javascript" } as const;
const page = (name: string) => readFile(new URL(`page/${name}`, import.meta.url), "utf8");

/**
 * Creates a server with a page and one route. The browser never sees the credentials or a context token: the server keeps
 * the conversation, and the browser sends only text.
 */
export function createChat(api: ServiceApi): Hono {
  // A real server would keep JSON.stringify(conversation) in its session store.
  const conversations = new Map<string, Conversation>();
  const app = new Hono();

  const show = (name: string, type: keyof typeof types) => async (context: Context) =>
    context.body(await page(name), 200, { "content-type": `${types[type]}; charset=utf-8` });
  app.get("/", show("index.html", "html"));
  app.get("/chat.css", show("chat.css", "css"));
  app.get("/chat.js", show("chat.js", "js"));
  app.get("/markdown.js", show("markdown.js", "js"));

  app.post("/chat/:id", async (context) => {
    const { text } = await context.req.json<{ text: string }>();
    const id = context.req.param("id");
    const conversation = conversations.get(id) ?? api.ai.conversation();
    conversations.set(id, conversation);
    // A reader who leaves or presses stop ends the call to the service.
    return conversation.stream(String(text)).toResponse({ metadata: false, errorText: ({ kind }) => kind });
  });

  return app;
}
