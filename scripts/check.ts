import { mkdir, rm } from 'node:fs/promises'
import { REPORTS, render, runChecks } from '@/scripts/tools/checks'
import { endStepsOnSignals } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/**
 * Runs lint, types, and the unit and route tests that are not slow: `npm run check`, or `npm run check -- --changed` with the
 * tests that import what changed since the last commit, slow ones included.
 */
endStepsOnSignals()
makeTempFolder()
await rm(REPORTS, { recursive: true, force: true })
await mkdir(REPORTS, { recursive: true })
const choice = process.argv.slice(2)
const tally = await runChecks(choice)
console.log(render(tally))
// With a choice there may be no test to run: none imports what changed.
const isEmpty = tally.passed === 0 && choice.length === 0
if (tally.failed > 0 || isEmpty) process.exitCode = 1
