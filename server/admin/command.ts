import type { ParseArgsOptionsConfig } from 'node:util'

export type Answer = { exitCode: number; output: string; json: unknown }

export type Values = Record<string, string | boolean | undefined>

export type Command = {
  name: string
  usage: string
  summary: string
  options?: ParseArgsOptionsConfig
  needsDatabase: boolean
  /** Reads a secret where the command was typed: from its environment or standard input. Never part of the line. */
  readSecret?: (values: Values, positionals: string[]) => Promise<string | undefined>
  run: (values: Values, positionals: string[], secret?: string) => Promise<Answer>
  /** A command line whose answer is added to this one's. It runs where the database is, this command perhaps elsewhere. */
  alsoRuns?: (argv: string[]) => string[] | undefined
}

/** A wrong command line: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A command that failed: exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

export const answer = (lines: string[], json: unknown, exitCode = 0): Answer => ({
  exitCode,
  output: lines.join('\n'),
  json,
})

export const joinAnswers = (one: Answer, other: Answer): Answer => ({
  exitCode: Math.max(one.exitCode, other.exitCode),
  output: [one.output, other.output].filter((output) => output !== '').join('\n'),
  json: { ...(one.json as object), ...(other.json as object) },
})

export const optionText = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
