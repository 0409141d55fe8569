import 'server-only'
import { getDb } from '@/lib/db/client'
import { catalogue } from '@/lib/services/models/catalogue'
import type { UsageGroup } from '@/lib/services/usage/groups'

/** Usage outside keys. Source: API contract, billing.md "GET /billing/usage-analytics". */
export const WITHOUT_KEY = 'Web App'

/** What a line is of: its model, or what was bought beside one (a search, JSON-RPC) by its SKU. */
export const subjectOf = ({ modelId, sku }: Pick<UsageGroup, 'modelId' | 'sku'>): string =>
  modelId !== null && (sku === modelId || sku.startsWith(`${modelId}-`)) ? modelId : sku

/** A model's name as it is listed now; the id of one that is gone. */
export const nameOfModel = (id: string): string => catalogue().byId.get(id)?.name ?? id

/** What the keys of these groups are called, also when they were revoked. */
export async function nameKeys(accountId: string, groups: UsageGroup[]): Promise<Map<string, string>> {
  const ids = [...new Set(groups.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))]
  if (ids.length === 0) return new Map()
  const { query } = await getDb()
  const rows = await query<{ id: string; description: string; last6: string }>(
    'select id, description, last6 from api_key where account_id = $1 and id = any($2::uuid[])',
    [accountId, ids],
  )
  return new Map(rows.map(({ id, description, last6 }) => [id, description === '' ? `…${last6}` : description]))
}
