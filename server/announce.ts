import { config, configWarnings } from '@/lib/kernel/config'
import { rails } from '@/lib/services/chains/rails'
import { sandbox } from '@/lib/services/chains/sandbox'
import { ensureFirstKey } from '@/server/admin/first-key'

export async function announce(): Promise<void> {
  const { serviceName, origin, isSandbox, databaseUrl } = config()
  const firstKey = await ensureFirstKey()
  const lines = ['', `${serviceName} is ready: ${origin}`]
  if (isSandbox) {
    lines.push('  Sandbox: all money here is test money. It stays on this machine until a payment receiver is set.')
    const chains = sandbox()
    if (chains) lines.push(`  Local chains: EVM (Base) at ${chains.evmUrl}, Solana at ${chains.solanaUrl}`)
    else lines.push('  The local chains do not run: wallets can sign in, but there is no test money to top up with.')
  } else if (databaseUrl === undefined && rails().length > 0) {
    lines.push('  Real payments with the embedded database: a power cut may lose the last ones. Set DATABASE_URL.')
  }
  lines.push(...configWarnings(process.env, config()).map((warning) => `  ${warning}`))
  if (firstKey !== undefined) lines.push('  Admin key, shown this once; keep it:', `  ${firstKey}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
