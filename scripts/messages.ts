import { readFile } from 'node:fs/promises'
import {
  catalogFaults,
  missingIn,
  readCatalog,
  readSentences,
  TRANSLATED,
  writeCatalog,
} from '@/scripts/tools/messages'

/**
 * `npm run messages`: takes out of each language what the pages say no more, and counts what it lacks. `-- de` lists what
 * German lacks; `-- de new.json` first adds the translations of that file.
 */
const root = process.cwd()
const [given, file] = process.argv.slice(2)
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
process.exitCode = isWhole ? 0 : 1
