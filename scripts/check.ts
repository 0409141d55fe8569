import { mkdir, rm } from 'node:fs/promises'
import { REPORTS, runChecks } from '@/scripts/tools/checks'
import { render } from '@/scripts/tools/reports'
import { endStepsOnSignals } from '@/scripts/tools/step'

endStepsOnSignals()
await rm(REPORTS, { recursive: true, force: true })
await mkdir(REPORTS, { recursive: true })
const tally = await runChecks()
console.log(render(tally))
if (tally.failed > 0 || tally.passed === 0) process.exitCode = 1
