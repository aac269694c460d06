import { TextCleaner } from "../shared/clean-text.ts";
import type { ResponseView } from "./response-view.ts";

/** The flags that choose a view. */
export interface ViewFlags {
  readonly plain?: boolean;
}

/** Returns a view for standard output: rendered Markdown on a terminal, and otherwise the text as the service wrote it. */
export async function createView({ plain = false }: ViewFlags): Promise<ResponseView> {
  if (plain || !process.stdout.isTTY || process.env.TERM === "dumb") return new PlainText();
  const { LiveMarkdown } = await import("./markdown/live-markdown.ts");
  return new LiveMarkdown(process.stdout);
}

/** The text without what a terminal would obey. */
class PlainText implements ResponseView {
  readonly #cleaner = new TextCleaner();
  #last = "\n";

  write(part: string): void {
    this.#print(this.#cleaner.push(part));
  }

  end(): void {
    this.#print(this.#cleaner.end());
    if (!this.#last.endsWith("\n")) this.#print("\n");
  }

  #print(text: string): void {
    if (text === "") return;
    this.#last = text;
    process.stdout.write(text);
  }
}
