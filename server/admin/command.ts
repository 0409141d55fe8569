import type { ParseArgsOptionsConfig } from 'node:util'

/** What a command has to say: to a person, to a program, and to the shell. */
export type Answer = { exitCode: number; output: string; json: unknown }

export type Values = Record<string, string | boolean | undefined>

export type Command = {
  /** One or two words. */
  name: string
  usage: string
  summary: string
  /** Options of its own; `--json` and `--help` are everyone's. */
  options: ParseArgsOptionsConfig
  /** Runs where the database is open: in the running server, or here when none runs. */
  needsDatabase: boolean
  run: (values: Values, positionals: string[]) => Promise<Answer>
}

/** The command line is wrong: `message` says how. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The command cannot do what was asked: `message` says why. Exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

export const answer = (lines: string[], json: unknown, exitCode = 0): Answer => ({
  exitCode,
  output: lines.join('\n'),
  json,
})

/** An option that takes text, if it was given. */
export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Lines up rows of cells, each column as wide as its widest cell. */
export function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
