import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const FILE = path.join('server', 'routes.gen.ts')

/**
 * Writes the source of the route table from the folders of `app/api`: fixed paths first, then `[name]`, then
 * `[...name]`.
 */
export function routeTable(root: string): string {
  const folders = readdirSync(path.join(root, 'app', 'api'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'route.ts')
    .map((entry) => path.relative(path.join(root, 'app'), entry.parentPath).split(path.sep))
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
  const imports = folders.map((folder, index) => `import * as route${index} from '@/app/${folder.join('/')}/route'`)
  const rows = folders.map((folder, index) => {
    // A folder in parentheses groups files and is no part of the path.
    const pattern = folder.filter((segment) => !/^\(.*\)$/.test(segment)).map((segment) => `'${segment}'`)
    return `  { pattern: [${pattern.join(', ')}], module: route${index} },`
  })
  return [
    '// Made from the folders of app/api by `node scripts/run.mjs routes`.',
    ...imports,
    '',
    '/** Every handler of the API, for the server in front of Next. */',
    'export const routes = [',
    ...rows,
    ']',
    '',
  ].join('\n')
}

export async function writeRouteTable(root: string): Promise<boolean> {
  const file = path.join(root, FILE)
  const table = routeTable(root)
  if ((await readFile(file, 'utf8').catch(() => '')) === table) return false
  await writeFile(file, table)
  return true
}

const rank = (folder: string[]): string =>
  folder.map((segment) => (segment.startsWith('[...') ? '~~' : segment.startsWith('[') ? '~' : segment)).join('/')
