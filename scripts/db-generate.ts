import { packageBin, runStep } from '@/scripts/tools/step'

const { isOk } = await runStep(
  'generate migrations',
  process.execPath,
  [packageBin('drizzle-kit', 'bin.cjs'), 'generate', ...process.argv.slice(2)],
  { isLoud: true },
)
if (!isOk) process.exitCode = 1
