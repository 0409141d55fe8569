import { checkTypes } from '@/scripts/tools/checks'
import { endStepsOnSignals } from '@/scripts/tools/step'

/** Checks the types of the whole project: `npm run typecheck`. */
endStepsOnSignals()
const { isOk } = await checkTypes()
if (!isOk) process.exitCode = 1
