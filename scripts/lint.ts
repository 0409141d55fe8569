import { runLint } from '@/scripts/tools/checks'
import { endStepsOnSignals } from '@/scripts/tools/step'

/** Checks format, style, import rules and unused exports: `npm run lint`. */
endStepsOnSignals()
const results = await runLint()
if (results.some(({ isOk }) => !isOk)) process.exitCode = 1
