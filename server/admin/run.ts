import { parseArgs } from 'node:util'
import { ApiError } from '@/lib/contract/errors'
import { DatabaseInUseError } from '@/lib/db/embedded'
import { ConfigError } from '@/lib/kernel/config'
import { EngineError } from '@/lib/services/engines/engine'
import { ProbeError } from '@/lib/services/models/providers/probe-http'
import { accountCommands } from '@/server/admin/accounts'
import { type Answer, answer, type Command, CommandError, table, UsageError, type Values } from '@/server/admin/command'
import { keyCommands } from '@/server/admin/keys'
import { modelsCommands } from '@/server/admin/models'
import { modelsCheckCommand, providersCheckCommand } from '@/server/admin/models-check'
import { creditCommand, ledgerCommand, sandboxFundCommand, topupsCommand } from '@/server/admin/money'
import { operatorCommands } from '@/server/admin/operator'
import { providerCommands } from '@/server/admin/providers'

const COMMANDS: Command[] = [
  ...accountCommands,
  ...keyCommands,
  creditCommand,
  ledgerCommand,
  modelsCheckCommand,
  ...modelsCommands,
  ...operatorCommands,
  ...providerCommands,
  providersCheckCommand,
  sandboxFundCommand,
  topupsCommand,
]
const COMMON = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/**
 * Runs one command line in this process, for the command itself or for the server on its behalf. Never throws.
 * @param secret what `readSecretOf` read where the line was typed.
 */
export async function runAdmin(argv: string[], secret?: string): Promise<Answer> {
  const command = commandOf(argv)
  if (!command) return help(argv)
  try {
    const { values, positionals } = parsed(command, argv)
    if (values.help)
      return answer([`Usage: npm run admin -- ${command.usage}`, command.summary], { usage: command.usage })
    return await command.run(values as Values, positionals, secret)
  } catch (error) {
    return failure(error, command)
  }
}

/** Reads the secret that a command line needs. An answer is the failure to do so. */
export async function readSecretOf(argv: string[]): Promise<{ secret?: string } | Answer> {
  const command = commandOf(argv)
  if (!command?.readSecret) return {}
  try {
    const { values, positionals } = parsed(command, argv)
    const secret = await command.readSecret(values as Values, positionals)
    return secret === undefined ? {} : { secret }
  } catch (error) {
    return failure(error, command)
  }
}

const parsed = (command: Command, argv: string[]) =>
  parseArgs({
    args: argv.slice(command.name.split(' ').length),
    options: { ...command.options, ...COMMON },
    allowPositionals: true,
  })

export function commandOf(argv: string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === argv.slice(0, name.split(' ').length).join(' '))
}

function help(argv: string[]): Answer {
  const isAsked = argv.length === 0 || argv.includes('--help') || argv.includes('-h')
  return answer(
    [
      ...(isAsked ? [] : [`There is no command ${argv.slice(0, 2).join(' ')}.`]),
      'Usage: npm run admin -- COMMAND [--json] [--help]',
      ...table(COMMANDS.map(({ name, summary }) => [`  ${name}`, summary])),
      'COMMAND --help shows its arguments.',
    ],
    isAsked ? { commands: COMMANDS.map(({ usage, summary }) => ({ usage, summary })) } : { error: 'unknown command' },
    isAsked ? 0 : 2,
  )
}

function failure(error: unknown, command: Command): Answer {
  if (error instanceof UsageError || isParseError(error)) {
    return answer([error.message, `Usage: npm run admin -- ${command.usage}`], { error: error.message }, 2)
  }
  const { message } = error instanceof Error ? error : new Error(String(error))
  const isExpected = [CommandError, ApiError, ConfigError, DatabaseInUseError, EngineError, ProbeError].some(
    (kind) => error instanceof kind,
  )
  return answer([isExpected ? message : `${command.name} failed: ${message}`], { error: message }, 1)
}

const isParseError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
