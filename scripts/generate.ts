import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { writeRouteTable } from '@/scripts/tools/build'
import {
  catalogFaults,
  missingIn,
  readCatalog,
  readSentences,
  TRANSLATED,
  writeCatalog,
} from '@/scripts/tools/messages'
import { makeSpec, RPC_FAMILIES, specFile } from '@/scripts/tools/rpc-specs'
import { packageBin, runStep } from '@/scripts/tools/step'

/** Makes the files of the repository that follow from others. Each says whether nothing is left to do by hand. */
const FILES: Record<string, (args: string[]) => Promise<boolean>> = {
  messages: writeMessages,
  migrations: writeMigrations,
  routes: writeRoutes,
  'rpc-methods': writeRpcMethods,
}

const root = process.cwd()
const [name = '', ...args] = process.argv.slice(2)
if (!Object.hasOwn(FILES, name)) {
  console.error(`Usage: node scripts/run.mjs generate <${Object.keys(FILES).join('|')}> [arguments]`)
  process.exit(2)
}
if (!(await FILES[name]!(args))) process.exitCode = 1

/**
 * `npm run messages`: takes out of each language what the pages say no more, and counts what it lacks. `-- de` lists what
 * German lacks; `-- de new.json` first adds the translations of that file.
 */
async function writeMessages([given, file]: string[]): Promise<boolean> {
  const source = await readSentences(root)
  let isWhole = source.faults.length === 0
  for (const fault of source.faults) console.error(fault)
  for (const tag of TRANSLATED.filter((known) => given === undefined || given === known)) {
    const added = file ? JSON.parse(await readFile(file, 'utf8')) : {}
    const catalog = { ...(await readCatalog(root, tag)), ...added }
    await writeCatalog(root, tag, catalog, source)
    const kept = await readCatalog(root, tag)
    const lacking = [...missingIn(kept, source), ...catalogFaults(tag, kept, source)]
    isWhole &&= lacking.length === 0
    console.log(`${tag}: ${Object.keys(kept).length} of ${source.sentences.size} sentences`)
    if (given) for (const line of lacking) console.log(`  ${line}`)
  }
  return isWhole
}

/** `npm run db:generate`: makes the migration to the tables of lib/db/schema. */
async function writeMigrations(args: string[]): Promise<boolean> {
  const drizzle = packageBin('drizzle-kit', 'bin.cjs')
  const { isOk } = await runStep('generate migrations', process.execPath, [drizzle, 'generate', ...args], {
    isLoud: true,
  })
  return isOk
}

/** Makes server/routes.gen.ts anew, as each build and start of the development server does. */
async function writeRoutes(): Promise<boolean> {
  const hasChanged = await writeRouteTable(root)
  console.log(hasChanged ? 'server/routes.gen.ts is new' : 'server/routes.gen.ts was up to date')
  return true
}

/** `npm run rpc-methods`: makes the descriptions of RPC methods anew, after an overlay or a package of theirs has changed. */
async function writeRpcMethods(): Promise<boolean> {
  for (const family of RPC_FAMILIES) {
    const file = path.join(root, specFile(family))
    const spec = await makeSpec(root, family)
    const hasChanged = spec !== (await readFile(file, 'utf8').catch(() => undefined))
    if (hasChanged) await writeFile(file, spec)
    console.log(`${specFile(family)} ${hasChanged ? 'is new' : 'was up to date'}`)
  }
  return true
}
