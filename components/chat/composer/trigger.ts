/** A word that offers a list while it is written: `/` at the start for a command, `@` for a model or a character. */
export type Trigger = { kind: '/' | '@'; query: string; start: number; end: number }

const COMMAND = /^\/([\p{L}\p{N}-]{0,32})$/u
const MENTION = /(?:^|\s)@([\p{L}\p{N}._:/-]{0,48})$/u

/** The list that a text asks for with the caret at a place. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret)
  const command = COMMAND.exec(before)
  if (command) return { kind: '/', query: command[1] ?? '', start: 0, end: caret }
  const mention = MENTION.exec(before)
  if (!mention) return undefined
  const query = mention[1] ?? ''
  return { kind: '@', query, start: caret - query.length - 1, end: caret }
}

/** A text without the word that asked for a list, and without the space that it leaves behind. */
export function withoutTrigger(text: string, { start, end }: Trigger): string {
  return text.slice(0, start) + text.slice(end).replace(/^ /, '')
}
