import { executeCommand } from '@/server/admin/execute'

// Standard output is the command's answer, whose last line or JSON a script reads; failures are part of the answer.
process.env.LOG_LEVEL ??= 'silent'

const argv = process.argv.slice(2)
const { exitCode, output, json } = await executeCommand(argv)
if (argv.includes('--json')) console.log(JSON.stringify(json))
else if (exitCode === 0) console.log(output)
else console.error(output)
process.exitCode = exitCode
