import { invalidField } from '@/lib/contract/errors'
import { CreateKeyBody, DeleteKeyBody, UpdateKeyBody } from '@/lib/contract/keys.schema'
import { renderKey, renderKeyWithUsage, renderNewKey } from '@/lib/endpoints/keys/render'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { json } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { createKey, keyUses, listKeys, revokeKey, saveLastUsed, updateKey } from '@/lib/services/identity/api-keys'
import { flushCharges } from '@/lib/services/ledger/ledger'
import { limitRoute } from '@/lib/services/limits/limits'

// The largest of these bodies has a few hundred bytes.
const SMALL = { maxBytes: 16 * 1024 }
const parseNew = json(CreateKeyBody, SMALL)
const parseChange = json(UpdateKeyBody, SMALL)
const parseEnd = json(DeleteKeyBody, SMALL)

async function list(context: RequestContext): Promise<Reply> {
  const { accountId } = await admitManager(context)
  await Promise.all([saveLastUsed(), flushCharges()])
  const keys = await listKeys(accountId)
  const uses = await keyUses(
    accountId,
    keys.map(({ id }) => id),
  )
  return uncachedJson({ object: 'list', data: keys.map((key) => renderKeyWithUsage(key, uses.get(key.id))) })
}

async function create(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await admitManager(context)
  await limitRoute(context, caller, 'api-keys')
  const body = await parseNew(context, request)
  const key = await createKey({ ...body, accountId: caller.accountId })
  return uncachedJson({ success: true, data: renderNewKey(key) })
}

async function update(context: RequestContext, request: Request): Promise<Reply> {
  const { accountId } = await admitManager(context)
  const { id, ...changes } = await parseChange(context, request)
  const key = await updateKey(accountId, id, changes)
  if (!key) throw noSuchKey()
  return uncachedJson({ success: true, data: renderKey(key) })
}

// The id is in the query or in a body.
async function end(context: RequestContext, request: Request): Promise<Reply> {
  const { accountId } = await admitManager(context)
  const named = new URL(request.url).searchParams.get('id')
  const id = named ?? (hasBody(context) ? (await parseEnd(context, request)).id : undefined)
  if (id === undefined) throw invalidField(['id'], 'is required: the id of the key, in the query')
  if (!(await revokeKey(id, accountId))) throw noSuchKey()
  return uncachedJson({ success: true })
}

const hasBody = ({ headers }: RequestContext): boolean =>
  headers.has('content-type') || headers.has('transfer-encoding') || Number(headers.get('content-length')) > 0

const noSuchKey = () => invalidField(['id'], 'is no active key of this account. GET /api_keys lists them.')

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: list,
  POST: create,
  PATCH: update,
  DELETE: end,
})
