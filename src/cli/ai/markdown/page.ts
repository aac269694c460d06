import type { styleText } from "node:util";

/** Styles part of a line for the output, or returns it unchanged if the output has no styles. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/** The place that blocks are rendered for. */
export interface Page {
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
}
