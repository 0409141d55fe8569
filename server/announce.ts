import { usd } from '@/lib/contract/money'
import type { ModelPreparation } from '@/lib/contract/session'
import { getDb } from '@/lib/db/client'
import { DatabaseInUseError } from '@/lib/db/embedded'
import { DatabaseStartError } from '@/lib/db/postgres'
import { ConfigError, config, configWarnings } from '@/lib/kernel/config'
import { DataFolderError } from '@/lib/kernel/data-folder'
import { rails } from '@/lib/services/chains/rails'
import { sandbox } from '@/lib/services/chains/sandbox'
import { embeddedChatEngine } from '@/lib/services/engines/registry'
import { createAccount } from '@/lib/services/identity/accounts'
import { createKey } from '@/lib/services/identity/api-keys'
import { operatorLink } from '@/lib/services/identity/operator'
import { catalogue } from '@/lib/services/models/catalogue'
import { notePreparation } from '@/lib/services/models/preparation'
import { fetchDefaultModel } from '@/lib/services/models/starter-model'
import { grant } from '@/server/admin/money'

export async function announce(): Promise<void> {
  const { serviceName, origin, isSandbox, databaseUrl } = config()
  const firstKey = await ensureFirstKey()
  const lines = ['', `${serviceName} is ready: ${origin}`]
  if (isSandbox) {
    lines.push('  Sandbox: all money is test money on local chains until you set a payment receiver.')
    const chains = sandbox()
    if (chains) lines.push(`  Local chains: EVM (Base) at ${chains.evmUrl}, Solana at ${chains.solanaUrl}`)
    else lines.push('  The local chains are not running: wallets can sign in, but there is no test money for top-ups.')
  } else if (databaseUrl === undefined && rails().length > 0) {
    lines.push('  Real payments with the embedded database: a power failure may lose the last ones. Set DATABASE_URL.')
  }
  lines.push(...configWarnings(process.env, config()).map((warning) => `  ${warning}`))
  lines.push(`  Administration, for the next 24 hours: ${(await operatorLink()).link}`)
  if (firstKey !== undefined) lines.push('  Admin key. Copy it now; it is not shown again:', `  ${firstKey}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

/** What the log says of a step, and what visitors read. */
const STEPS = {
  waiting: { says: 'is being downloaded by another process', shown: 'preparing' },
  resolving: { says: 'is being looked up', shown: 'preparing' },
  downloading: { says: 'is being downloaded', shown: 'downloading' },
  verifying: { says: 'is being verified', shown: 'verifying' },
  reading: { says: 'is being read', shown: 'verifying' },
  preparing: { says: 'is being converted', shown: 'preparing' },
  queued: { says: 'is waiting for memory', shown: 'preparing' },
  loading: { says: 'is being loaded', shown: 'loading' },
} as const satisfies Record<string, { says: string; shown: ModelPreparation['step'] }>
const REDRAW_MS = 250

/**
 * Fetches and loads the embedded model ahead of the first question and prints progress, while the server answers
 * already.
 */
export async function prepareEmbeddedModel(): Promise<void> {
  const engine = embeddedChatEngine()
  if (!engine) return
  const named = await prepareDefaultModel()
  const show = progressLine(process.stdout)
  const model = catalogue().traits('text', Date.now()).get('default')?.name ?? ''
  try {
    await engine.load(({ step, fraction }) => {
      notePreparation({ model, step: STEPS[step].shown, fraction })
      show(`The model ${STEPS[step].says}`, fraction)
    }, named)
    show.end(named === undefined ? 'The model is ready.' : `The model ${named} is ready.`)
  } catch (error) {
    show.end(
      `The model could not be loaded: ${error instanceof Error ? error.message : error} The next request tries again.`,
    )
  } finally {
    notePreparation(undefined)
  }
}

/** Downloads the default model where it comes from the hub. Never fails: the embedded models stay. */
export async function prepareDefaultModel(): Promise<string | undefined> {
  const show = progressLine(process.stdout)
  try {
    return await fetchDefaultModel(({ model, step, bytes, total }) => {
      const fraction = total === 0 ? 0 : bytes / total
      const size = step === 'downloading' && total > 0 ? { bytes, totalBytes: total } : {}
      notePreparation({ model, step: STEPS[step].shown, fraction, ...size })
      show(`The model ${STEPS[step].says}`, fraction)
    })
  } catch (error) {
    show.end(`The model of the hub could not be installed: ${error instanceof Error ? error.message : error}`)
    return undefined
  } finally {
    notePreparation(undefined)
  }
}

function progressLine(out: NodeJS.WriteStream) {
  let drawnAt = 0
  let last = ''
  const show = (text: string, fraction: number) => {
    const percent = Math.floor(fraction * 100)
    const line = out.isTTY ? `${text} (${percent} %)` : `${text} (${Math.floor(percent / 25) * 25} %)`
    if (line === last || (out.isTTY && performance.now() - drawnAt < REDRAW_MS)) return
    drawnAt = performance.now()
    last = line
    out.write(out.isTTY ? `\r\u001b[2K  ${line}` : `  ${line}\n`)
  }
  const end = (text: string) => out.write(`${out.isTTY ? '\r\u001b[2K' : ''}  ${text}\n\n`)
  return Object.assign(show, { end })
}

const FACT = 'first-admin-key'
const SANDBOX_CREDIT = usd('100')

/**
 * Creates an account with an admin key on the very first start and returns the secret, once. Of several processes that
 * start together only one gets it.
 */
export async function ensureFirstKey(): Promise<string | undefined> {
  const { query } = await getDb()
  const claimed = await query(
    `insert into installation (key, value) values ($1, 'made') on conflict (key) do nothing returning key`,
    [FACT],
  )
  if (claimed.length === 0) return undefined
  try {
    const accountId = await createAccount('account', 'Operator')
    if (config().isSandbox) await grant(accountId, SANDBOX_CREDIT, 'Sandbox credit of the first account')
    return (await createKey({ accountId, type: 'ADMIN', description: 'First admin key' })).secret
  } catch (error) {
    // The next start tries again.
    await query('delete from installation where key = $1', [FACT])
    throw error
  }
}

export function startFault(error: unknown): string {
  if (error instanceof ConfigError) return `Invalid configuration:\n  ${error.message.replaceAll('\n', '\n  ')}`
  if ([DataFolderError, DatabaseInUseError, DatabaseStartError].some((kind) => error instanceof kind))
    return (error as Error).message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return portTaken(config().port)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

export const portTaken = (port: number): string =>
  `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`
