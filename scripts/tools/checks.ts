import path from 'node:path'
import { compareBreaches, readBaseline, readImports } from '@/scripts/tools/import-rules'
import { add, failure, readTally, type Tally, tallyVitest } from '@/scripts/tools/reports'
import { packageBin, runStep, runTask, type StepResult } from '@/scripts/tools/step'

export const REPORTS = path.join('artifacts', 'reports')

const BIOME = packageBin('@biomejs', 'biome', 'bin', 'biome')
const KNIP = packageBin('knip', 'bin', 'knip.js')
const NEXT = packageBin('next', 'dist', 'bin', 'next')
const TSC = packageBin('typescript', 'bin', 'tsc')
const VITEST = packageBin('vitest', 'vitest.mjs')

export async function runChecks(): Promise<Tally> {
  const [lint, types] = await Promise.all([runLint(), checkTypes()])
  const failedChecks = [...lint, types].filter(({ isOk }) => !isOk).map(({ name }) => failure(name))
  return add([...failedChecks, await runVitest('unit and route tests', 'vitest.config.ts', { SLOW_TESTS: 'apart' })])
}

export async function runLint(): Promise<StepResult[]> {
  return [await checkStyle(), await checkImports(), await checkExports()]
}

export async function runVitest(name: string, config: string, env: Record<string, string> = {}): Promise<Tally> {
  const report = path.join(REPORTS, `${path.basename(config, '.ts')}.json`)
  const args = [VITEST, 'run', '--config', config, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  const { isOk } = await runStep(name, process.execPath, args, { env: { NODE_ENV: 'test', ...env } })
  return readTally(name, report, isOk, tallyVitest)
}

const checkStyle = (): Promise<StepResult> =>
  runStep('format and lint', process.execPath, [BIOME, 'check', '--error-on-warnings', '.'])

const checkImports = (): Promise<StepResult> =>
  runTask('import rules', async () => {
    const root = process.cwd()
    const [{ breaches }, known] = await Promise.all([readImports(root), readBaseline(root)])
    const { added, mended } = compareBreaches(breaches, known)
    const faults = added.map(({ rule, from, to }) => `${rule}: ${from} imports ${to}`)
    if (mended.length > 0) faults.push(`${mended.length} known breaches are gone: npm run lint:imports -- --update`)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })

const checkExports = (): Promise<StepResult> =>
  runStep('unused exports', process.execPath, [KNIP, '--no-progress', '--no-config-hints'])

export async function checkTypes(): Promise<StepResult> {
  const env = { NEXT_TELEMETRY_DISABLED: '1' }
  const generated = await runStep('route types', process.execPath, [NEXT, 'typegen'], { env, isSilent: true })
  return generated.isOk ? runStep('types', process.execPath, [TSC, '--noEmit', '-p', '.']) : generated
}
