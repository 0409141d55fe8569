import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { ICruiseOptions, ICruiseResult, IForbiddenRuleType } from 'dependency-cruiser'

export type Breach = { rule: string; from: string; to: string }

export type ImportReport = {
  breaches: Breach[]
  edges: { from: string; to: string; count: number }[]
  modules: number
}

const RULES = 'dependency-rules.cjs'
const PICTURE = path.join('docs', 'architecture.md')
const PICTURE_START = '<!-- rooms: npm run lint:imports -- --update -->'
const PICTURE_END = '<!-- /rooms -->'
const BASELINE = 'dependency-baseline.json'
const VALUE_RULES = new Set(['zod-in-page', 'child-uses-alias', 'product-knows-tools'])
const FOLDERS = ['app', 'components', 'lib', 'server', 'sandbox']

export async function readImports(root: string): Promise<ImportReport> {
  const require = createRequire(path.join(root, 'package.json'))
  const values = readWithSwc(require, root)
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
  const breaches = summary.violations
    .map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
    .filter(({ rule, from, to }) => !VALUE_RULES.has(rule) || isValueImport(modules, values, from, to))
  return { breaches: unique(breaches), edges: roomEdges(modules), modules: summary.totalCruised }
}

export const readBaseline = async (root: string): Promise<Breach[]> =>
  JSON.parse(await readFile(path.join(root, BASELINE), 'utf8'))

export const writeBaseline = (root: string, breaches: Breach[]): Promise<void> =>
  writeFile(
    path.join(root, BASELINE),
    breaches.length === 0 ? '[]\n' : `[\n${breaches.map((breach) => `  ${JSON.stringify(breach)}`).join(',\n')}\n]\n`,
  )

export async function writePicture(root: string, edges: ImportReport['edges']): Promise<void> {
  const file = path.join(root, PICTURE)
  const page = await readFile(file, 'utf8')
  const [start, end] = [page.indexOf(PICTURE_START), page.indexOf(PICTURE_END)]
  await writeFile(file, `${page.slice(0, start + PICTURE_START.length)}\n\n${drawRooms(edges)}\n\n${page.slice(end)}`)
}

function drawRooms(edges: ImportReport['edges']): string {
  const layers = draw(merge(edges, layerOf))
  const services = draw(merge(edges, (room) => /^lib\/services\/(.*)$/.exec(room)?.[1]))
  return `\`\`\`mermaid\n${layers}\n\`\`\`\n\nShared services, each above what it imports:\n\n\`\`\`mermaid\n${services}\n\`\`\``
}

const layerOf = (room: string): string | undefined =>
  /^lib\/(?:contract|i18n|kernel)$|^sandbox$/.test(room)
    ? undefined
    : /^components\/(?:ui|common|markdown)$/.test(room)
      ? room
      : room.startsWith('components/')
        ? 'features'
        : (/^lib\/(?:services|endpoints)/.exec(room)?.[0] ?? room)

type Edge = { from: string; to: string }

function merge(edges: Edge[], nameOf: (room: string) => string | undefined): Edge[] {
  const merged = new Map<string, Edge>()
  for (const edge of edges) {
    const [from, to] = [nameOf(edge.from), nameOf(edge.to)]
    if (from && to && from !== to) merged.set(`${from} ${to}`, { from, to })
  }
  const all = [...merged.keys()].sort().map((key) => merged.get(key)!)
  return all.filter((edge) => !isImplied(edge, all))
}

function isImplied({ from, to }: Edge, all: Edge[]): boolean {
  const seen = new Set([from])
  const next = all.filter((edge) => edge.from === from && edge.to !== to).map((edge) => edge.to)
  for (let room = next.pop(); room !== undefined; room = next.pop()) {
    if (room === to) return true
    if (seen.has(room)) continue
    seen.add(room)
    next.push(...all.filter((edge) => edge.from === room).map((edge) => edge.to))
  }
  return false
}

const draw = (edges: Edge[]): string =>
  ['graph TD', ...edges.map(({ from, to }) => `  ${idOf(from)}["${from}"] --> ${idOf(to)}["${to}"]`)].join('\n')

const idOf = (room: string): string => room.replaceAll(/[^a-z]/g, '_')

export function compareBreaches(found: Breach[], known: Breach[]): { added: Breach[]; mended: Breach[] } {
  const [has, had] = [new Set(found.map(keyOf)), new Set(known.map(keyOf))]
  return { added: found.filter((row) => !had.has(keyOf(row))), mended: known.filter((row) => !has.has(keyOf(row))) }
}

const keyOf = ({ rule, from, to }: Breach): string => `${rule} ${from} ${to}`

const unique = (rows: Breach[]): Breach[] =>
  [...new Map(rows.map((row) => [keyOf(row), row])).entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, row]) => row)

type ValueImports = Map<string, Set<string>>

// Teaches the swc parser of dependency-cruiser `.tsx`, and to tell imports of types from imports of values. Its other
// parser is a TypeScript older than ours.
function readWithSwc(require: NodeJS.Require, root: string): ValueImports {
  const values: ValueImports = new Map()
  const swc = require('@swc/core') as { parseFileSync: (file: string, options: object) => SwcModule }
  const { parseFileSync } = swc
  swc.parseFileSync = (file, options) => {
    const parsed = parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })
    const specifiers = parsed.body.filter((item) => item.source && !isTypeOnly(item)).map((item) => item.source!.value)
    values.set(path.relative(root, path.resolve(root, file)), new Set(specifiers))
    return parsed
  }
  return values
}

type SwcModule = { body: SwcItem[] }
type SwcItem = { source?: { value: string } | null; typeOnly?: boolean; specifiers?: { isTypeOnly?: boolean }[] }

const isTypeOnly = ({ typeOnly, specifiers = [] }: SwcItem): boolean =>
  typeOnly === true || (specifiers.length > 0 && specifiers.every((specifier) => specifier.isTypeOnly))

function isValueImport(modules: ICruiseResult['modules'], values: ValueImports, from: string, to: string): boolean {
  const imports = modules.find(({ source }) => source === from)?.dependencies ?? []
  return imports.some(({ resolved, module }) => resolved === to && values.get(from)?.has(module))
}

const roomOf = (file: string): string =>
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
