import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { build, type Plugin, stop } from 'esbuild'
import { packageBin, runStep, runTask } from '@/scripts/tools/step'

const SOURCES = [
  'app',
  'components',
  'lib',
  'public',
  'server',
  'scripts/tools/build.ts',
  'server.ts',
  'instrumentation.ts',
  'next.config.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'package-lock.json',
]
const NOT_BUILT = /\.test\.tsx?$|\.md$/

/**
 * Builds the product unless the last build was made from the same sources. Tells whether it can be run. A cache makes
 * the next build twice as fast, this one a third slower, and takes 275 MB.
 */
export async function ensureBuilt(root: string, { isCached = true } = {}): Promise<boolean> {
  await writeRouteTable(root)
  const stamp = path.join(root, '.next', 'service-build')
  const wanted = await sourceHash(root)
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return true
  // A build that is broken off leaves no stamp.
  await rm(stamp, { force: true })
  const pages = await runStep('build pages', process.execPath, [packageBin('next', 'dist', 'bin', 'next'), 'build'], {
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      BUILD_PAGES_ONLY: '1',
      BUILD_CACHE: isCached ? 'on' : 'off',
    },
  })
  if (!pages.isOk) return false
  await addCompileHints(root)
  // The compiler is a process of its own, which would stay as long as the server that is started next.
  const bundles = () => Promise.all([buildServer(root), buildSandbox(root)]).finally(stop)
  const server = await runTask('build server', bundles, { isSilent: true })
  if (!server.isOk) return false
  await writeFile(path.join(root, '.next', 'service-version'), `${buildVersion(new Date())}\n`)
  await writeFile(stamp, wanted)
  return true
}

const buildServer = (root: string) => bundle(root, 'server.ts', path.join('dist', 'server.mjs'))

export const buildSandbox = (root: string) =>
  bundle(root, path.join('sandbox', 'main.ts'), path.join('sandbox', 'dist', 'main.mjs'))

/** Packages of plain JavaScript that are loaded at the start: as hundreds of files they take a third of it. */
const BUNDLED =
  /^(?:@noble|@scure|@solana|@solana-program|@x402|abitype|drizzle-orm|ipaddr\.js|jose|lru-cache|marked|negotiator|ox|viem|yaml|zod)(?:\/|$)/
const OWN = /^(?:@\/|server-only$)/

const externalPackages: Plugin = {
  name: 'external packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, path: name }) =>
      kind === 'entry-point' || OWN.test(name) || BUNDLED.test(name) ? undefined : { path: name, external: true },
    )
  },
}

async function bundle(root: string, entry: string, outfile: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, outfile)), { recursive: true })
  await build({
    entryPoints: [path.join(root, entry)],
    outfile: path.join(root, outfile),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    plugins: [externalPackages],
    // For packages of CommonJS that load modules of Node's.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
    },
    alias: { 'server-only': path.join(root, 'lib', 'kernel', 'empty.ts') },
    tsconfig: path.join(root, 'tsconfig.json'),
    sourcemap: 'linked',
    // Read at each start: stack traces need the lines only.
    sourcesContent: false,
    logLevel: 'error',
  })
  await Promise.all([escapeOthers(path.join(root, outfile)), keepLines(path.join(root, `${outfile}.map`))])
}

/**
 * Escapes what is not ASCII in a bundle, which V8 would keep at two bytes a letter. esbuild has escaped strings; what is
 * left are comments and patterns, in which an escape means the same.
 */
async function escapeOthers(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  await writeFile(file, escaped)
}

/**
 * Leaves one place of each line in a source map: a stack trace says lines, and the first one makes the process decode every
 * place that there is, which took 60 MB.
 */
async function keepLines(file: string): Promise<void> {
  const map = JSON.parse(await readFile(file, 'utf8')) as { mappings: string }
  const lines = decode(map.mappings).map((places) => places.slice(0, 1))
  await writeFile(file, JSON.stringify({ ...map, mappings: encode(lines) }))
}

// Hashes names and contents, not times: a checkout writes every file anew.
async function sourceHash(root: string): Promise<string> {
  const sources = [...SOURCES, ...(await sandboxSources(root))]
  const files = (await Promise.all(sources.map((source) => filesOf(root, source)))).flat().sort()
  const contents = await Promise.all(files.map((file) => readFile(path.join(root, file))))
  const hash = createHash('sha256').update(`${process.env.SERVICE_NAME ?? ''}\n`)
  for (const [index, file] of files.entries()) {
    const content = contents[index]!
    hash.update(`${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

async function sandboxSources(root: string): Promise<string[]> {
  const names = await readdir(path.join(root, 'sandbox'))
  return names.filter((name) => name !== 'node_modules' && name !== 'dist').map((name) => path.join('sandbox', name))
}

async function filesOf(root: string, source: string): Promise<string[]> {
  const place = path.join(root, source)
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      // A file of its own, or a folder that this checkout does not have.
      if (error.code === 'ENOTDIR') return undefined
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  if (!entries) return [source]
  return entries
    .filter((entry) => entry.isFile() && !NOT_BUILT.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
}

/** Formats the value of `x-service-version`, such as `20260718.002811`. Source: API contract, README 12. */
function buildVersion(now: Date): string {
  const digits = now.toISOString().replace(/\D/g, '')
  return `${digits.slice(0, 8)}.${digits.slice(8, 14)}`
}

/**
 * First line of a script that has Chromium compile its functions while it arrives; a comment for other browsers.
 * Source: https://v8.dev/blog/explicit-compile-hints
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

const MAX_BYTES = 256 * 1024

export async function addCompileHints(root: string): Promise<void> {
  const folder = path.join(root, '.next', 'static', 'chunks')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      if ((await stat(file)).size > MAX_BYTES) return
      const script = await readFile(file, 'utf8')
      if (!script.startsWith(COMPILE_HINT)) await writeFile(file, COMPILE_HINT + script)
    }),
  )
}

const FILE = path.join('server', 'routes.gen.ts')

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
    '// Made from the folders of app/api by `node scripts/run.mjs generate routes`.',
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
