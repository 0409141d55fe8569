import 'server-only'
import { eq, or } from 'drizzle-orm'
import { walletId } from '@/lib/contract/chains'
import { isUuid, uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { accounts } from '@/lib/db/schema/accounts'

export type Account = typeof accounts.$inferSelect

/** What a credential tells of its account. `address` is a wallet's. */
export type CredentialAccount = Pick<Account, 'kind' | 'status' | 'isPro'> & { address?: string }

export async function createAccount(kind: 'account' | 'guest', name: string): Promise<string> {
  const id = uuid()
  const { drizzle } = await getDb()
  await drizzle.insert(accounts).values({ id, kind, name })
  return id
}

export async function findAccount(idOrWallet: string): Promise<Account | undefined> {
  const { drizzle } = await getDb()
  const isWallet = eq(accounts.ref, walletId(idOrWallet))
  const [account] = await drizzle
    .select()
    .from(accounts)
    .where(isUuid(idOrWallet) ? or(eq(accounts.id, idOrWallet), isWallet) : isWallet)
    .limit(1)
  return account
}

export type AccountStatus = 'active' | 'disabled' | 'inactive'
