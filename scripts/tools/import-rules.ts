import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { ICruiseOptions, ICruiseResult, IForbiddenRuleType } from 'dependency-cruiser'

/** One import that the rules forbid. */
export type Breach = { rule: string; from: string; to: string }

export type ImportReport = {
  breaches: Breach[]
  /** Imports between rooms of the tree, for the picture of it: `from`, `to` and how many. */
  edges: { from: string; to: string; count: number }[]
  modules: number
}

const RULES = 'dependency-rules.cjs'
const BASELINE = 'dependency-baseline.json'
const FOLDERS = ['app', 'components', 'lib', 'server', 'sandbox']

/** Reads every import of the product and checks it against the rules of the tree. */
export async function readImports(root: string): Promise<ImportReport> {
  const require = createRequire(path.join(root, 'package.json'))
  readTsxWithSwc(require)
  const { cruise } = await import('dependency-cruiser')
  const { forbidden, options } = require(`./${RULES}`) as { forbidden: IForbiddenRuleType[]; options: ICruiseOptions }
  const { output } = await cruise(
    FOLDERS,
    { ...options, baseDir: root, validate: true, ruleSet: { forbidden } },
    {
      alias: { '@': root },
      extensions: ['.ts', '.tsx', '.mjs', '.json'],
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  )
  const { summary, modules } = output as ICruiseResult
  const breaches = summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
  return { breaches: unique(breaches), edges: roomEdges(modules), modules: summary.totalCruised }
}

/** Reads the breaches that are known and wait to be mended. */
export const readBaseline = async (root: string): Promise<Breach[]> =>
  JSON.parse(await readFile(path.join(root, BASELINE), 'utf8'))

/** Writes the breaches of today as the known ones, one a line. */
export const writeBaseline = (root: string, breaches: Breach[]): Promise<void> =>
  writeFile(
    path.join(root, BASELINE),
    breaches.length === 0 ? '[]\n' : `[\n${breaches.map((breach) => `  ${JSON.stringify(breach)}`).join(',\n')}\n]\n`,
  )

/** Tells the breaches that `known` does not have from those of `known` that are gone. */
export function compareBreaches(found: Breach[], known: Breach[]): { added: Breach[]; mended: Breach[] } {
  const [has, had] = [new Set(found.map(keyOf)), new Set(known.map(keyOf))]
  return { added: found.filter((row) => !had.has(keyOf(row))), mended: known.filter((row) => !has.has(keyOf(row))) }
}

const keyOf = ({ rule, from, to }: Breach): string => `${rule} ${from} ${to}`

const unique = (rows: Breach[]): Breach[] =>
  [...new Map(rows.map((row) => [keyOf(row), row])).entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, row]) => row)

/** dependency-cruiser 18 parses `.tsx` as plain TypeScript when swc is its parser, and it refuses the compiler we use. */
function readTsxWithSwc(require: NodeJS.Require): void {
  const swc = require('@swc/core') as { parseFileSync: (file: string, options: object) => unknown }
  const { parseFileSync } = swc
  swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })
}

/** Names the room a file stands in: a feature, a service, an endpoint area or a layer. */
export const roomOf = (file: string): string =>
  /^(?:components|lib\/services|lib\/endpoints)\/[^/]+(?=\/)|^lib\/[^/]+|^[^/]+/.exec(file)?.[0] ?? file

function roomEdges(modules: ICruiseResult['modules']): ImportReport['edges'] {
  const counts = new Map<string, number>()
  for (const { source, dependencies } of modules) {
    for (const { resolved, coreModule } of dependencies) {
      const [from, to] = [roomOf(source), roomOf(resolved)]
      if (coreModule || from === to || !FOLDERS.includes(to.split('/')[0]!)) continue
      counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1)
    }
  }
  return [...counts].map(([edge, count]) => {
    const [from, to] = edge.split(' ') as [string, string]
    return { from, to, count }
  })
}
