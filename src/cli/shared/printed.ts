/** Returns a string of the service without control and format characters: a terminal would obey escape sequences. */
export function printed(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "�");
}
