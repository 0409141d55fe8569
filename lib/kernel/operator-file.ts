import 'server-only'
import { readFile, stat } from 'node:fs/promises'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { ConfigError } from '@/lib/kernel/config'

const MAX_FAULTS = 20

export async function readOperatorFile(variable: string, path: string, maxBytes: number): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > maxBytes) throw new ConfigError(`${variable}: ${path} is larger than ${maxBytes / 1e6} MB.`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw unreadable(variable, path, error as Error)
  }
}

export const unreadable = (variable: string, path: string, cause: Error): ConfigError =>
  new ConfigError(`${variable}: ${path} cannot be read: ${cause.message}`, { cause })

export function parseOperatorText(text: string, path: string, maxAliasCount: number): unknown {
  try {
    return parseYaml(text, { maxAliasCount })
  } catch (error) {
    const place = error instanceof YAMLParseError && error.linePos ? ` (line ${error.linePos[0].line})` : ''
    throw fileFault(path, [`is neither YAML nor JSON${place}: ${(error as Error).message.split('\n', 1)[0]}`])
  }
}

export function fileFault(path: string, faults: string[]): ConfigError {
  const rest = faults.length - MAX_FAULTS
  const lines = rest > 0 ? [...faults.slice(0, MAX_FAULTS), `and ${rest} more`] : faults
  return new ConfigError(`${path}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

export function faultPlace(
  at: PropertyKey[],
  value: unknown,
  { list, name, maxChars }: { list: string; name: string; maxChars: number },
): string {
  const place = at.map(String).join('.')
  if (at[0] !== list || typeof at[1] !== 'number') return place || 'the file'
  const entry = (value as Record<string, Record<string, unknown>[]>)[list]?.[at[1]]
  const called = typeof entry === 'object' && entry !== null && name in entry ? String(entry[name]) : undefined
  return called === undefined ? place : `${place} (${called.slice(0, maxChars)})`
}
