import { admitManager } from '@/lib/access/admit-manager'
import { getKey } from '@/lib/access/api-keys'
import { renderKeyWithUsage } from '@/lib/access/key-schema'
import { keyUses } from '@/lib/access/key-usage'
import { saveLastUsed } from '@/lib/access/last-used'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { invalidField } from '@/lib/contract/errors'

/** One active key of the account. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { id }) => {
    const { accountId } = await admitManager(context)
    await saveLastUsed()
    const key = await getKey(accountId, String(id))
    if (!key) throw invalidField(['id'], 'is no active key of this account. GET /api_keys lists them.')
    const uses = await keyUses(accountId, [key.id])
    return jsonReply({ data: renderKeyWithUsage(key, uses.get(key.id)) }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
