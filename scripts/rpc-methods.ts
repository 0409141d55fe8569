import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeSpec, RPC_FAMILIES, specFile } from '@/scripts/tools/rpc-specs'

/** `npm run rpc-methods`: makes the descriptions of RPC methods anew, after an overlay or a package of theirs has changed. */
const root = process.cwd()
for (const family of RPC_FAMILIES) {
  const file = path.join(root, specFile(family))
  const spec = await makeSpec(root, family)
  const hasChanged = spec !== (await readFile(file, 'utf8').catch(() => undefined))
  if (hasChanged) await writeFile(file, spec)
  console.log(`${specFile(family)} ${hasChanged ? 'is new' : 'was up to date'}`)
}
