import { ensureBuilt } from '@/scripts/tools/build'
import { endStepsOnSignals } from '@/scripts/tools/step'

endStepsOnSignals()
if (!(await ensureBuilt(process.cwd()))) process.exitCode = 1
