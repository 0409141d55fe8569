import { expect } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { type Claim, claimReply, fingerprintOf, type StoredReply } from '@/lib/endpoints/rpc/idempotency'

export const body = (text: string) => Buffer.from(text)
export const PRINT = fingerprintOf('base-mainnet', body('{"method":"eth_chainId"}'))
export const OTHER = fingerprintOf('base-mainnet', body('{"method":"eth_blockNumber"}'))
export const REPLY: StoredReply = {
  status: 200,
  body: body('{"jsonrpc":"2.0","id":1,"result":"0x2105"}'),
  credits: 20,
  cost: nano(14_000n),
  requestId: 'the-first-request',
}

type Asked = { accountId?: string; key?: string; fingerprint?: Buffer; requestId?: string }

const ask = ({ accountId = uuid(), key = 'key', fingerprint = PRINT, requestId = 'request' }: Asked = {}) =>
  claimReply({ accountId, key, fingerprint, requestId })

export async function claim(asked: Asked = {}): Promise<Claim> {
  const answer = await ask(asked)
  if ('replay' in answer) throw new Error('a reply was there already')
  return answer.claim
}

export async function replay(asked: Asked): Promise<StoredReply> {
  const answer = await ask(asked)
  if ('claim' in answer) throw new Error('there was no reply')
  return { ...answer.replay, body: Buffer.from(answer.replay.body) }
}

export async function refusalOf(asked: Asked, from: () => Promise<Database> = getDb): Promise<ApiError> {
  const { accountId = uuid(), key = 'key', fingerprint = PRINT } = asked
  const thrown = await claimReply({ accountId, key, fingerprint, requestId: 'request' }, from).catch((e: unknown) => e)
  if (!(thrown instanceof ApiError)) throw thrown
  return thrown
}

export const age = async (accountId: string, by: string) =>
  (await getDb()).query(
    `update rpc_reply set lease_until = lease_until - $2::interval, expires_at = expires_at - $2::interval
     where account_id = $1`,
    [accountId, by],
  )

export const rowsOf = async (accountId: string) =>
  (await getDb()).query<{ key: string; size: number | null; is_packed: boolean }>(
    'select key, octet_length(body) as size, is_packed from rpc_reply where account_id = $1 order by key',
    [accountId],
  )

export async function expectCounted(accountId: string): Promise<void> {
  const [sums] = await (await getDb()).query<{
    keys: number
    bytes: number
    counted_keys: number
    counted_bytes: number
  }>(
    `select (select count(*)::int from rpc_reply where account_id = $1) as keys,
       (select coalesce(sum(octet_length(body)), 0)::int from rpc_reply where account_id = $1) as bytes,
       coalesce((select keys from rpc_reply_total where account_id = $1), 0)::int as counted_keys,
       coalesce((select bytes from rpc_reply_total where account_id = $1), 0)::int as counted_bytes`,
    [accountId],
  )
  expect(sums).toMatchObject({ counted_keys: sums?.keys, counted_bytes: sums?.bytes })
}
