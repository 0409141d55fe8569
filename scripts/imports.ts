import { compareBreaches, readBaseline, readImports, writeBaseline, writePicture } from '@/scripts/tools/import-rules'

/** Checks the direction of imports: `npm run lint:imports`, or with `-- --update` after a breach was mended or moved. */
const root = process.cwd()
const { breaches, edges, modules } = await readImports(root)
const known = await readBaseline(root)

if (process.argv.includes('--update')) {
  await writeBaseline(root, breaches)
  await writePicture(root, edges)
  console.log(`${modules} modules. Known breaches: ${known.length} before, ${breaches.length} now.`)
} else {
  const { added, mended } = compareBreaches(breaches, known)
  for (const { rule, from, to } of added) console.error(`${rule}: ${from} imports ${to}`)
  if (added.length > 0) {
    console.error(`${added.length} imports go against the rules of dependency-rules.cjs (docs/architecture.md).`)
  }
  if (mended.length > 0) {
    console.error(`${mended.length} known breaches are gone. Record that: npm run lint:imports -- --update`)
  }
  if (added.length + mended.length > 0) process.exitCode = 1
  else console.log(`${modules} modules follow the import rules; ${known.length} known breaches are left.`)
}
