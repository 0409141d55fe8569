import { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { LIFETIMES, type Lifetime, MAX_SHARE_BYTES } from '@/lib/contract/shares'
import type { RequestContext } from '@/lib/kernel/request-context'
import { pageCaller } from '@/lib/pipeline/admit'
import { parseQuery, readBytes } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { limitAddress } from '@/lib/services/limits/limits'
import { createShare } from '@/lib/services/shares/shares'

const Query = z.object({ lifetime: z.enum(Object.keys(LIFETIMES) as [Lifetime, ...Lifetime[]]) })

async function share(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await pageCaller(context)
  // An account costs nothing; an address does.
  await limitAddress(context, 'default')
  if (context.headers.get('content-type') !== 'application/octet-stream') {
    throw new ApiError('INVALID_CONTENT_TYPE', 'Send the ciphertext as application/octet-stream.')
  }
  const { lifetime } = parseQuery(Query, request)
  const body = await readBytes(context, request, MAX_SHARE_BYTES)
  if (body.length === 0) throw new ApiError('INVALID_REQUEST', 'There is nothing to share.')
  const made = await createShare(caller.accountId, body, lifetime)
  return uncachedJson(made, { status: 201 })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: share })
