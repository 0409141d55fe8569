import { mkdir, rm } from 'node:fs/promises'
import { checkImports, checkTypes, REPORTS, render, runChecks, runLint } from '@/scripts/tools/checks'
import { readBaseline, readImports, writeBaseline, writePicture } from '@/scripts/tools/import-rules'
import { endStepsOnSignals } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

const [first, ...others] = process.argv.slice(2)

endStepsOnSignals()
if (!(await check())) process.exitCode = 1

function check(): Promise<boolean> {
  switch (first) {
    case 'lint':
      return checkCode()
    case 'types':
      return checkTypes().then(({ isOk }) => isOk)
    case 'imports':
      return others.includes('--update') ? updateImports() : checkImports().then(({ isOk }) => isOk)
    default:
      return checkAll(process.argv.slice(2))
  }
}

/**
 * Runs lint, types, and the unit and route tests that are not slow: `npm run check`, or `npm run check -- --changed` with the
 * tests that import what changed since the last commit, slow ones included.
 */
async function checkAll(choice: string[]): Promise<boolean> {
  makeTempFolder()
  await rm(REPORTS, { recursive: true, force: true })
  await mkdir(REPORTS, { recursive: true })
  const tally = await runChecks(choice)
  console.log(render(tally))
  // With a choice there may be no test to run: none imports what changed.
  return tally.failed === 0 && (tally.passed > 0 || choice.length > 0)
}

/** Checks format, style, import rules and unused exports: `npm run lint`. */
async function checkCode(): Promise<boolean> {
  const results = await runLint()
  return results.every(({ isOk }) => isOk)
}

/** Records the breaches and the picture of the imports: `npm run lint:imports -- --update`, after a breach was mended or moved. */
async function updateImports(): Promise<boolean> {
  const root = process.cwd()
  const [{ breaches, edges, modules }, known] = await Promise.all([readImports(root), readBaseline(root)])
  await writeBaseline(root, breaches)
  await writePicture(root, edges)
  console.log(`${modules} modules. Known breaches: ${known.length} before, ${breaches.length} now.`)
  return true
}
