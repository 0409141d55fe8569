/**
 * What fields mean, by component (or for parameters by operation) and path: names joined by dots, lists and forms left
 * out, as in `messages.content.text`. Markdown of one line.
 */
export type WordTable = Readonly<Record<string, Readonly<Record<string, string>>>>
