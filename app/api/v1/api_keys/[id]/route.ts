import { invalidField } from '@/lib/contract/errors'
import { renderKeyWithUsage } from '@/lib/endpoints/keys/render'
import { admitManager } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { getKey, keyUses, saveLastUsed } from '@/lib/services/identity/api-keys'
import { flushCharges } from '@/lib/services/ledger/ledger'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, { id }) => {
    const { accountId } = await admitManager(context)
    await Promise.all([saveLastUsed(), flushCharges()])
    const key = await getKey(accountId, String(id))
    if (!key) throw invalidField(['id'], 'is no active key of this account. GET /api_keys lists them.')
    const uses = await keyUses(accountId, [key.id])
    return uncachedJson({ data: renderKeyWithUsage(key, uses.get(key.id)) })
  },
})
