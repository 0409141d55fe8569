import { mkdir, rm } from 'node:fs/promises'
import { REPORTS, render, runChecks } from '@/scripts/tools/checks'
import { endStepsOnSignals } from '@/scripts/tools/step'

endStepsOnSignals()
await rm(REPORTS, { recursive: true, force: true })
await mkdir(REPORTS, { recursive: true })
const tally = await runChecks()
console.log(render(tally))
if (tally.failed > 0 || tally.passed === 0) process.exitCode = 1
