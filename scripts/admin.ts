import { closeDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { type Answer, joinAnswers } from '@/server/admin/command'
import { commandOf, readSecretOf, runAdmin } from '@/server/admin/run'
import { askServer } from '@/server/admin/socket'

// Standard output is the command's answer, whose last line or JSON a script reads; failures are part of the answer.
process.env.LOG_LEVEL ??= 'silent'

const argv = process.argv.slice(2)
const { exitCode, output, json } = await executeCommand(argv)
if (argv.includes('--json')) console.log(JSON.stringify(json))
else if (exitCode === 0) console.log(output)
else console.error(output)
process.exitCode = exitCode

/** Runs an admin command, and the one that belongs to it; closes the database where it opened one. */
async function executeCommand(argv: string[]): Promise<Answer> {
  try {
    const answer = await execute(argv)
    const further = commandOf(argv)?.alsoRuns?.(argv)
    return further === undefined ? answer : joinAnswers(answer, await execute(further))
  } finally {
    await closeDb()
  }
}

/** In the running server when that has the embedded database open, else here. */
async function execute(argv: string[]): Promise<Answer> {
  try {
    if (!commandOf(argv)?.needsDatabase || argv.includes('--help')) return await runAdmin(argv)
    const read = await readSecretOf(argv)
    if ('exitCode' in read) return read
    const answered = config().databaseUrl === undefined ? await askServer(argv, read.secret) : undefined
    return answered ?? (await runAdmin(argv, read.secret))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { exitCode: 1, output: message, json: { error: message } }
  }
}
