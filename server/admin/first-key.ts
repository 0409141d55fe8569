import { usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { createAccount } from '@/lib/services/identity/accounts'
import { createKey } from '@/lib/services/identity/api-keys'
import { grant } from '@/server/admin/credit'

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
