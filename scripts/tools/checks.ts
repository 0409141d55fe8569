import path from 'node:path'
import { readTally, type Tally, tallyVitest } from '@/scripts/tools/reports'
import { packageBin, runStep, type StepResult } from '@/scripts/tools/step'

export const REPORTS = path.join('artifacts', 'reports')

const BIOME = packageBin('@biomejs', 'biome', 'bin', 'biome')
const NEXT = packageBin('next', 'dist', 'bin', 'next')
const TSC = packageBin('typescript', 'bin', 'tsc')
const VITEST = packageBin('vitest', 'vitest.mjs')

/** Format, lint and types at the same time, then the unit and route tests: each needs all cores for itself. */
export async function runChecks(): Promise<Tally> {
  const [style, types] = await Promise.all([checkStyle(), checkTypes()])
  const failedChecks = [style, types].filter(({ isOk }) => !isOk).length
  const unit = await runVitest('unit and route tests', 'vitest.config.ts')
  return { ...unit, failed: unit.failed + failedChecks }
}

/** One vitest run with a report, from which it is counted. */
export async function runVitest(name: string, config: string, env: Record<string, string> = {}): Promise<Tally> {
  const report = path.join(REPORTS, `${path.basename(config, '.ts')}.json`)
  const args = [VITEST, 'run', '--config', config, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  const { isOk } = await runStep(name, process.execPath, args, { env: { NODE_ENV: 'test', ...env } })
  return readTally(report, isOk, tallyVitest)
}

const checkStyle = (): Promise<StepResult> =>
  runStep('format and lint', process.execPath, [BIOME, 'check', '--error-on-warnings', '.'])

/** Next writes the types of its routes first. */
async function checkTypes(): Promise<StepResult> {
  const env = { NEXT_TELEMETRY_DISABLED: '1' }
  const generated = await runStep('route types', process.execPath, [NEXT, 'typegen'], { env, isSilent: true })
  return generated.isOk ? runStep('types', process.execPath, [TSC, '--noEmit', '-p', '.']) : generated
}
